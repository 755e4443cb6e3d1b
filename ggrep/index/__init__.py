"""Builds snapshots from files; stores, checks and repairs them."""
