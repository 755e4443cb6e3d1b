"""Where a name stands in a file, and what it is there."""
