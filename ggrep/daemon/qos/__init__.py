"""Limits on concurrent work: admission, processor permits, handles, encoding slots.

Nothing here searches. `admission` and `cpu` belong to one event loop; `handles` and `latency` may
be used from any thread; `encode_slots` holds across all processes of a host.
"""
