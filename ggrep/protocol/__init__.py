"""What clients and daemons say to each other."""
