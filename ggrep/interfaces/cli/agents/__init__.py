"""Commands that write ggrep into the configuration of agents."""
