"""The HTTP surface: `ggrep api`."""
