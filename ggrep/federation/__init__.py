"""Queries many repositories as one: workspace file, selection, cohorts, fanout, merge, response."""
