"""What looks like a secret in a file, and is masked or kept out."""
