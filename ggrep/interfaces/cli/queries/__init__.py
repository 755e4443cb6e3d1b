"""Query commands: search, slate, names and receipts, of one repository or a workspace."""
