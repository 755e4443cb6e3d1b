"""Change localisation: commit subjects are questions, the files that they change the answers."""
