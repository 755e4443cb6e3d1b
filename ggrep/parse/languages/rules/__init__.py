"""Rules of the languages that query files cannot describe, one module for each."""
