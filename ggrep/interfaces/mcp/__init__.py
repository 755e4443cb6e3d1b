"""The surface for agents: a server of the Model Context Protocol."""
