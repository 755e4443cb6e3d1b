"""The daemon of one store: socket, admission, watching, and metrics."""
