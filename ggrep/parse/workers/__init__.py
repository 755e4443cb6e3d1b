"""Worker processes that parse files and can be killed: the pool, the program and its jobs."""
