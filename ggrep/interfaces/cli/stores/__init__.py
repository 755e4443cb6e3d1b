"""Commands on indexes and stores."""
