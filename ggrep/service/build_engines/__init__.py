"""Engines that build the indexes of a workspace: on this machine, or on a Ray cluster."""
