"""What may be set, by whom and how far: caps, settings, built-in lists, the untrusted repo file."""
