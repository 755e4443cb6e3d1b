"""Answers before there is an index: scans the tree and ranks its best files."""
