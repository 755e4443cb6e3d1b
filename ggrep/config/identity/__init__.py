"""Names of roots, stores and configurations that two processes agree on."""
