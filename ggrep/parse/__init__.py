"""Turns a root into the chunks of its files."""
