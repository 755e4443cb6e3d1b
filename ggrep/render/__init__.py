"""Renders answers as sanitised text and as JSON, only from domain values."""
