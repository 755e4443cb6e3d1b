"""A server of the Language Server Protocol, for editors."""
