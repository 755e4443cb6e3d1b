"""The client: finds, starts, queries and stops daemons."""
