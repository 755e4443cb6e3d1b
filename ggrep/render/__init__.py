"""Renders answers as sanitised text and as JSON; the only input are values of `ggrep.model`."""
