"""The command line: parses arguments, runs commands, prints results. No search logic."""
