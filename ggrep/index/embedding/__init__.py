"""Turns text into vectors: the encoder interface, its implementations, int8 quantisation."""
