"""Turns text into vectors: the encoder protocol, its implementations, int8 quantisation."""
