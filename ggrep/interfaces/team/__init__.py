"""HTTP of a team server."""
