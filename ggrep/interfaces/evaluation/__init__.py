"""How good answers are: suites measured in figures, and committed checks that hold or do not."""
