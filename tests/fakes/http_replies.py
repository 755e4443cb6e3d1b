"""An HTTP server of this machine that sends one reply to every message."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from ggrep.base import stable_json

LISTED = stable_json.dumps({"repos": [["acme/cart", "1" * 64]]})
"""A team server's list of one repository, which is no reply to anything else."""


class Asked(list[tuple[str, str]]):
    """Paths and authorisation of the requests."""


@contextmanager
def serving(
    status: int = 200,
    body: bytes = LISTED,
    pause: Callable[[], object] = lambda: None,
    to: str = "",
) -> Iterator[tuple[str, Asked]]:
    """Yield the address of a server, and the requests that it received."""
    asked = Asked()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            asked.append((self.path, self.headers["authorization"]))
            pause()
            self.send_response(status)
            if to:
                self.send_header("location", to)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
