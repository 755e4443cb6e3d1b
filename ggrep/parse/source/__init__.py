"""From a root to the text of its eligible files; reads the root, writes nothing."""
