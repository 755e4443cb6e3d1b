"""Evaluates answers: suites give metrics, committed checks pass or fail."""
