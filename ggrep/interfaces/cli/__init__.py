"""The command line: parses, calls, prints. No search logic."""
