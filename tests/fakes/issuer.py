"""An identity provider on this machine."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

from ggrep.base import stable_json

AUDIENCE = "ggrep"


class Issuer:
    """Keys, tokens, and the documents that a provider publishes."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.issuer = url
        self.asked: list[str] = []
        self.moved: dict[str, str] = {}
        self.keys: dict[str, EllipticCurvePrivateKey] = {}
        self.rotate("first")

    def rotate(self, name: str) -> None:
        """Replace all keys by a new one."""
        self.keys = {name: ec.generate_private_key(ec.SECP256R1())}

    def token(self, user: str = "alice@example.com", **claims: Any) -> str:
        """Return a token; a claim of None is left out."""
        (name,) = self.keys
        every = {
            "iss": self.issuer,
            "aud": AUDIENCE,
            "exp": time.time() + 600,
            "email": user,
            "email_verified": True,
            **claims,
        }
        stated = {key: value for key, value in every.items() if value is not None}
        return jwt.encode(stated, self.keys[name], algorithm="ES256", headers={"kid": name})

    def document(self, path: str) -> Any:
        """Return what the provider publishes at a path."""
        self.asked.append(path)
        if path == "/.well-known/openid-configuration":
            return {"issuer": self.issuer, "jwks_uri": f"{self.url}/keys"}
        keys = []
        for name, key in self.keys.items():
            shown = jwt.algorithms.ECAlgorithm.to_jwk(key.public_key(), as_dict=True)
            keys.append({**shown, "kid": name, "use": "sig", "alg": "ES256"})
        return {"keys": keys}


@contextmanager
def running_issuer() -> Iterator[Issuer]:
    """Yield a provider that answers requests."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path in made.moved:
                self.send_response(302)
                self.send_header("location", made.moved[self.path])
                self.end_headers()
                return
            data = stable_json.dumps(made.document(self.path))
            self.send_response(200)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made = Issuer(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
