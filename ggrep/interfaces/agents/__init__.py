"""Writes entries of ggrep into the configuration of agents, and removes them again."""
