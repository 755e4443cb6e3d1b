"""Splits files into chunks: by definitions, headings, diagrams or line windows."""
