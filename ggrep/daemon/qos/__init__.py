"""Limits on concurrent work: admission, CPU permits, handles, encoding slots.

`Admission` and the CPU permits are not thread-safe; the counters of open segments and latencies are
thread-safe. `encode_slots` in `embedding` is a limit across all processes of the machine.
"""
