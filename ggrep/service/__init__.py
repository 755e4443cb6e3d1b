"""The Python interface, and what the command line shares with it; `ggrep` exports its names."""
