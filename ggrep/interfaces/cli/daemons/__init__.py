"""Commands that start, stop and show daemons."""
