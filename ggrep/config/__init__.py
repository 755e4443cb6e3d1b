"""What can be configured, by whom and within which caps; also the untrusted repo file."""
