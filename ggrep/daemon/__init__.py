"""The daemon of a store: socket, admission, watching, and metrics."""
