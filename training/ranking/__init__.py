"""Fits the weights of the ranking to the questions of a benchmark."""
