"""Reads the files of a root directory and cuts them into chunks."""
