"""How the text of code is cut for a reader: lines that are folded, and lines that decide."""
