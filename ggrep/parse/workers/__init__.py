"""Processes that parse, which can be killed: one pool, one program, two kinds of job."""
