"""The protocol between clients and daemons."""
