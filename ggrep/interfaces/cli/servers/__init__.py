"""Commands that serve programs: HTTP and MCP."""
