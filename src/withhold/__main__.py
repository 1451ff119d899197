"""`python -m withhold` is the command line."""

from withhold.cli import main

if __name__ == "__main__":
    main()
