"""Shortens code for a reader: folds lines, or selects the lines that are relevant to a query."""
