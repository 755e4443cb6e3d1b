"""Turns files into a snapshot: compare, read, chunk, embed, write, publish."""
