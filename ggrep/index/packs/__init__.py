"""Packs: images of many segments in one, from which a question to many stores is answered."""
