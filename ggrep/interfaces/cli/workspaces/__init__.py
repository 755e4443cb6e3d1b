"""The commands of `ggrep workspace`."""
