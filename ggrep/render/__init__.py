"""Renders answers as sanitised text and as JSON; the only inputs are values of `ggrep.model`."""
