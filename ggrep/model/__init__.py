"""Values that travel between packages: frozen, typed, without behaviour that needs I/O."""
