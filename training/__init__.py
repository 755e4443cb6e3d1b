"""Programs that make what ggrep carries or measure it; they are no part of the package."""
