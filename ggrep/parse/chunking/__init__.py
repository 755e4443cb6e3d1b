"""Files become chunks: by definitions, headings, diagrams or line windows."""
