"""From a root to the chunks of its files."""
