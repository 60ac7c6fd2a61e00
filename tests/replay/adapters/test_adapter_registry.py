"""Which adapter takes an object for an agent."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from trajectory.errors import AgentError
from trajectory.replay import Agent, Session, as_agent
from trajectory.replay.adapters import Adapter, registry

if TYPE_CHECKING:
    from trajectory.conversation import ConversationThread

FRAMEWORK = __name__.partition(".")[0]


class Graph:
    """An agent of a framework."""


class Node:
    """An object of the framework that is no agent."""

    def __call__(self, query: str) -> str:
        return query


class Wrapped(Agent):
    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    def open(self, thread: ConversationThread, session_id: str) -> Session:
        del thread, session_id
        return Session()


def adapt(value: Any) -> Agent | None:
    return Wrapped(value) if isinstance(value, Graph) else None


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "ADAPTERS", (Adapter("scripted", (FRAMEWORK,), "scripted_adapter"),))
    monkeypatch.setitem(sys.modules, "scripted_adapter", SimpleNamespace(adapt=adapt))


def test_an_object_of_the_framework_is_adapted(known: None) -> None:
    graph = Graph()
    agent = as_agent(graph)
    assert isinstance(agent, Wrapped)
    assert agent.graph is graph


def test_a_subclass_of_the_framework_is_adapted(known: None) -> None:
    own = type("Own", (Graph,), {"__module__": "somewhere.else"})
    assert isinstance(as_agent(own()), Wrapped)


def test_what_an_adapter_leaves_is_taken_in_the_ordinary_ways(known: None) -> None:
    assert not isinstance(as_agent(Node()), Wrapped)


def test_an_object_that_nobody_knows_is_told_what_was_tried(known: None) -> None:
    with pytest.raises(AgentError, match=r"is no agent: an agent is .*; nor is it known to an adapter \(.*scripted"):
        as_agent(object())


def test_another_distribution_offers_an_adapter(monkeypatch: pytest.MonkeyPatch) -> None:
    class Point:
        name, value = "theirs", "their.module:adapt"

        @staticmethod
        def load() -> Any:
            return adapt

    monkeypatch.setattr(registry, "_points", lambda: (Point,))
    assert isinstance(as_agent(Graph()), Wrapped)


def test_an_offered_adapter_that_cannot_be_imported_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("theirs", "no.such.module:adapt", registry.GROUP)
    monkeypatch.setattr(registry, "_points", lambda: (point,))
    with pytest.raises(AgentError, match=r"the adapter 'theirs' \(no.such.module:adapt\) cannot be imported"):
        as_agent(Graph())
