"""Files become snapshots, which are kept, checked and repaired."""
