"""Files become a snapshot: what changed, read, cut, embedded, written, published."""
