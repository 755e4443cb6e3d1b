"""Commands that measure answers: `eval` and `check`."""
