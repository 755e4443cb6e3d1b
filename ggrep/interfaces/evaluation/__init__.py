"""Evaluates answers: suites yield metrics, committed checks pass or fail."""
