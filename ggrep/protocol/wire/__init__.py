"""What daemon and clients say to each other: bytes and values, no input or output."""
