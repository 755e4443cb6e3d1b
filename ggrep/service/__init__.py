"""The Python interface, which `ggrep` exports, and code that the command line shares with it."""
