"""Describes a repository by quotations from its files."""
