"""Pushes snapshots to object storage and pulls them from it."""
