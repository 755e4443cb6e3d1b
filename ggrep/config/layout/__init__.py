"""Where a store keeps what; readable without lancedb."""
