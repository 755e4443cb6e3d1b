"""Limits on concurrent work: admission, CPU permits, handles, encoding slots.

`Admission` and the CPU permits are not thread-safe; counters of open segments and latencies are.
`encode_slots` in `embedding` is a limit across all processes of the machine.
"""
