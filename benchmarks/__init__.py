"""Speed and memory, always as a ratio to something measured in the same run."""
