"""Packs: the images of many segments in one file, for queries over many stores."""
