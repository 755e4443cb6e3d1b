"""Which root, which store, which configuration: names that two processes agree on."""
