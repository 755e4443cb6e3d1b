"""Determines the language of a file, its grammar, and the rules that read its definitions."""
