"""One repository wired together: settings, store, encoder, sync and query."""
