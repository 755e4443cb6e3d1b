"""What language a file is in, its grammar, and how its definitions are read."""
