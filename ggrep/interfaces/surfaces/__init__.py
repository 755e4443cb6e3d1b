"""What command line, HTTP and MCP share: they send equal requests to one coordinator."""
