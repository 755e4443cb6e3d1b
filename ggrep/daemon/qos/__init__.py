"""Who may go on now: admission, permits for the processor, handles, slots for encoding.

Nothing here searches. `admission` and `cpu` belong to one event loop; `handles` and `latency` may
be used from any thread; `encode_slots` holds across all processes of a host.
"""
