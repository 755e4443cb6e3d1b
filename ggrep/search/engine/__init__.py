"""Combines the parts of one repository: settings, store, encoder, sync and queries."""
