"""Shared parts of the command line, HTTP and MCP, which send the same requests."""
