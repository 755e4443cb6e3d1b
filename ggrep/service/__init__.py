"""The Python interface, which `ggrep` exports, and code that command line and interface share."""
