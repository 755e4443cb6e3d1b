"""Snapshots that travel: into object storage and out of it again."""
