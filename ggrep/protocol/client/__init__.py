"""Talking to daemons: finding, starting, asking and stopping them. Blocking, standard sockets."""
