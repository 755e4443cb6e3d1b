"""The layout of a store's files; readable without lancedb."""
