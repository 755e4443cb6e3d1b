"""Answers queries."""
