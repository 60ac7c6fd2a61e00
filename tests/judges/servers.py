"""A real HTTP server on loopback that answers, and misbehaves, as a test tells it to."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Callable

Answer = tuple[int, dict[str, str], bytes]


def completion(content: Any, **message: Any) -> Answer:
    finish = message.pop("finish_reason", "stop")
    choice = {"message": {"role": "assistant", "content": content, **message}, "finish_reason": finish}
    return 200, {}, json.dumps({"choices": [choice]}).encode()


class Endpoint:
    """Gives the answers in turn, the last one for ever."""

    def __init__(self, *answers: Answer | Callable[[Any], None]) -> None:
        self.answers = list(answers)
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        lock = threading.Lock()
        endpoint = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                with lock:
                    endpoint.asked.append({"path": self.path, **body})
                    endpoint.headers.append(dict(self.headers))
                    answer = endpoint.answers.pop(0) if len(endpoint.answers) > 1 else endpoint.answers[0]
                self._give(answer)

            def _give(self, answer: Answer | Callable[[Any], None]) -> None:
                if callable(answer):
                    answer(self)
                    return
                status, headers, content = answer
                self.send_response(status)
                for name, value in {"content-length": str(len(content)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def slow(seconds: float) -> Callable[[Any], None]:
    def give(handler: Any) -> None:
        time.sleep(seconds)
        handler.close_connection = True

    return give


def dripping(handler: Any) -> None:
    """Never let a single wait be long, and never come to an end."""
    handler.send_response(200)
    handler.end_headers()
    handler.close_connection = True
    with contextlib.suppress(OSError):
        for _ in range(100):
            handler.wfile.write(b" ")
            time.sleep(0.05)


def endless(handler: Any) -> None:
    handler.send_response(200)
    handler.end_headers()
    handler.close_connection = True
    with contextlib.suppress(OSError):
        for _ in range(100):
            handler.wfile.write(b"x" * 1_000_000)


def cut_off(handler: Any) -> None:
    handler.send_response(200)
    handler.send_header("content-length", "500")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [{"mess')
    handler.close_connection = True
