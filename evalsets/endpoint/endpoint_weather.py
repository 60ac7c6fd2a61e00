"""A model behind an endpoint on this very machine that is scripted, so that it needs no network."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from trajectory import ChatEndpoint


def answer(messages):
    """Call tools by what the user says, and answer with the number of user messages."""
    asked = [one for one in messages if one["role"] == "user"]
    query, fresh = asked[-1]["content"], messages[-1] is asked[-1]
    calls = [("get_weather", {"city": city}) for city in ("Paris", "Rome") if fresh and city in query]
    if fresh and "fail" in query:
        calls = [("broken", {})]
    if not calls:
        return {"role": "assistant", "content": f"{len(asked)} turns"}
    listed = [
        {
            "id": f"call_{len(messages)}_{number}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        for number, (name, arguments) in enumerate(calls)
    ]
    return {"role": "assistant", "content": None, "tool_calls": listed}


class Script(BaseHTTPRequestHandler):
    """Serves chat completions."""

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        completion = {
            "model": "scripted",
            "choices": [{"message": answer(request["messages"]), "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 5},
        }
        body = json.dumps(completion).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Say nothing."""


def get_weather(city: str) -> str:
    """Tell the weather of a city."""
    return f"sunny in {city}"


def broken() -> str:
    """Fail."""
    raise ValueError("out of order")


def make_agent():
    """Start the endpoint, and make an agent of it; of an endpoint that runs elsewhere, only the second is needed."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Script)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return ChatEndpoint(f"http://127.0.0.1:{server.server_port}/v1", "scripted", [get_weather, broken])
