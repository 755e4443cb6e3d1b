"""Feeds coverage-guided bytes to the wire: run as a program, with libFuzzer's own arguments.

python -m tests.wire.atheris_target -max_total_time=3600
"""

import sys

import atheris

with atheris.instrument_imports(include=["ggrep.protocol.wire", "ggrep.base.stable_json"]):
    from ggrep.base.errors import Incompatible, InvalidRequest
    from ggrep.protocol.wire import frames, handshake, messages, replies

CAP = 1 << 16


def one_input(data: bytes) -> None:
    """Read a stream, however it is dealt out, and all that it may spell."""
    split = data[0] + 1 if data else 1
    reader = frames.FrameReader(CAP)
    payloads: list[bytes] = []
    for start in range(0, len(data), split):
        payloads += reader.feed(data[start : start + split])
    for payload in [*payloads, data]:
        for parse in (handshake.parse_hello, messages.parse_message, replies.parse_reply):
            try:
                parse(frames.parse_object(payload))
            except (InvalidRequest, Incompatible):
                continue


if __name__ == "__main__":
    atheris.Setup([*sys.argv, "-rss_limit_mb=512", "-timeout=1"], one_input)
    atheris.Fuzz()
