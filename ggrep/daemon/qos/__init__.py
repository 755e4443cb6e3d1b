"""Limits on concurrent work: admission, processor permits, handles, encoding slots.

`Admission` and the processor permits belong to one event loop; open segments and latencies are
counted from any thread; `encode_slots` of `embedding` holds across all processes of a host.
"""
