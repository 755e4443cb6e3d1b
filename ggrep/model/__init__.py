"""Values that travel between floors: frozen, typed, without behaviour that needs I/O."""
