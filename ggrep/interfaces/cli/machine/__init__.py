"""Commands about this machine, whatever is indexed on it."""
