"""From what was typed to a command and its parameters."""
