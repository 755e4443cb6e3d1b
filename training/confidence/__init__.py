"""Fits the figures that say how far an answer is to be trusted."""
