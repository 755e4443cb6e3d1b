"""What the command line, HTTP and MCP share: they put the same question to the same coordinator."""
