"""One script for each paper: its tables and figures, rebuilt from the data."""
