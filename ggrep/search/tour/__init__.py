"""Describes a repository by quotations from its own files."""
