"""Settings with their sources and caps, the untrusted file of a repository, and built-in lists."""
