"""Finds where names are defined and used, and the code around a place."""
