"""Commands that ask: search, slate, names, receipts; of one repository or a workspace."""
