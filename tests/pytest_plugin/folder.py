"""A folder with a little agent and eval sets, and a way to run pytest in it."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

    from tests.sets import Turn

import trajectory.pytest_plugin.items  # noqa: F401 - imported once here, not once in every inner run
from tests.sets import eval_set_text

AGENT = '''
"""An agent whose queries say which calls it makes: "add 1 2, add 3 4". It remembers nothing."""

def agent(query):
    if query.startswith("raise"):
        raise ValueError("out of paper")
    calls = []
    for words in filter(None, (part.split() for part in query.split(","))):
        if words[0] in ("add", "sub"):
            calls.append({"name": words[0], "arguments": {"a": int(words[1]), "b": int(words[2])}})
    return {"output": "done: " + query, "tool_calls": calls}

def none(query):
    return None
'''


class Folder:
    """Where a user works."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester
        self.path = pytester.path
        pytester.makepyfile(little_agent=AGENT)

    def eval_set(self, threads: Any, name: str = "x.evalset.json", **keys: Any) -> None:
        target = self.path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(eval_set_text(threads, **keys), encoding="utf-8")

    def write(self, name: str, text: str) -> None:
        target = self.path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(textwrap.dedent(text), encoding="utf-8")

    def run(self, *arguments: str, agent: str | None = "little_agent:agent") -> pytest.RunResult:
        """Run pytest as a user would; without xdist in this very process, because that is faster."""
        words = ["-p", "no:cacheprovider", *arguments, *(["--agent", agent] if agent else [])]
        if "--lf" in words:
            words = words[2:]
        return self.pytester.runpytest(*words, syspathinsert=True)


def good(number: int) -> Sequence[Turn]:
    return [(f"add {number} 1", [{"name": "add", "arguments": {"a": number, "b": 1}}])]


def bad(number: int) -> Sequence[Turn]:
    return [(f"add {number} 1", [{"name": "add", "arguments": {"a": number, "b": 2}}])]
