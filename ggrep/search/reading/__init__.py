"""Cuts the text of code for a reader: folds lines, and selects the lines that decide."""
