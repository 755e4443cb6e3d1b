"""Where the repositories of a workspace are built: here, or on a cluster of Ray."""
