"""The protocol of daemon and clients as bytes and values, without I/O."""
