"""The interfaces to users: command line, HTTP, MCP, evaluation."""
