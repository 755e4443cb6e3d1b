"""Engines that build the repositories of a workspace: on this machine, or on a Ray cluster."""
