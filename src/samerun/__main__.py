"""`python -m samerun`: the same command line as the `samerun` script, for child processes and odd installations."""

from samerun.cli.main import main

if __name__ == "__main__":
    main()
