"""Evaluates answers: suites compute metrics, committed checks pass or fail."""
