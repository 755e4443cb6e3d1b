"""Finds the eligible files of a root and reads their text; writes nothing."""
