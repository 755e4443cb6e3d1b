"""Shared parts of the command line, HTTP and MCP, which send equal requests to one coordinator."""
