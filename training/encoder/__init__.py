"""What the project's own encoder learns from, and how it is trained."""
