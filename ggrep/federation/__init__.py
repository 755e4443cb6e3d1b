"""Queries many repositories as one: workspace file, selection, cohorts, fan-out, merge, answer."""
