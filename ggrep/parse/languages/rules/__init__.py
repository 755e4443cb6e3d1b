"""Rules of the languages that query files cannot describe, one module per language."""
