"""Answers a search while there is no index: scans the work tree and ranks its best files."""
