"""Where questions arrive: command line, HTTP, MCP, suites."""
