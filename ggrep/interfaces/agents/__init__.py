"""Agents that may ask ggrep: what is written into their configuration files, and taken out again."""
