"""What a repository is, as its own files say it."""
