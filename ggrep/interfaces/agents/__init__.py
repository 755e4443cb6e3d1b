"""Agents that may ask ggrep: what is written into their configuration, and taken out again."""
