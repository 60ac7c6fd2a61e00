"""Where the agent comes from, and what is said when it does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.pytest_plugin.folder import good

if TYPE_CHECKING:
    from tests.pytest_plugin.folder import Folder

ONE = {"one": good(1)}


@pytest.mark.parametrize(
    "definition",
    [
        "def it(query): return add(query)",
        "async def it(query): return add(query)",
        "def it(query, session_id): assert session_id; return add(query)",
        "class it:\n    def __call__(self, query): return add(query)",
        "class it:\n    def start_session(self): return self\n    def send(self, message): return add(message)",
        "class _It:\n    def __call__(self, query): return add(query)\nit = _It()",
        "def it(): return add",
        "async def it(): return add",
        "it = lambda query: add(query)",
    ],
)
def test_every_form_of_agent(folder: Folder, definition: str) -> None:
    folder.eval_set(ONE)
    folder.write("mine.py", "from little_agent import agent as add\n" + definition)
    folder.run("--evalset", "x.evalset.json", agent="mine:it").assert_outcomes(passed=1)


def test_the_ini_option(folder: Folder) -> None:
    folder.eval_set(ONE)
    folder.pytester.makeini("[pytest]\ntrajectory_agent = little_agent:agent")
    folder.run("--evalset", "x.evalset.json", agent=None).assert_outcomes(passed=1)


def test_the_option_beats_the_ini_option(folder: Folder) -> None:
    folder.eval_set(ONE)
    folder.pytester.makeini("[pytest]\ntrajectory_agent = little_agent:none")
    folder.run("--evalset", "x.evalset.json").assert_outcomes(passed=1)


def test_the_nearest_conftest_wins(folder: Folder) -> None:
    folder.eval_set(ONE, name="deep/er/x.evalset.json")
    folder.write("conftest.py", "def pytest_trajectory_agent(config): raise AssertionError('too far')")
    folder.write("deep/er/conftest.py", "import little_agent\ndef pytest_trajectory_agent(): return little_agent.agent")
    folder.run("--evalset", "deep/er/x.evalset.json", agent=None).assert_outcomes(passed=1)


def test_a_conftest_may_leave_it_to_the_next_one(folder: Folder) -> None:
    folder.eval_set(ONE, name="deep/x.evalset.json")
    folder.write(
        "conftest.py",
        "import little_agent\ndef pytest_trajectory_agent(eval_set):\n"
        "    assert eval_set.name == 'set'\n    return little_agent.agent",
    )
    folder.write("deep/conftest.py", "def pytest_trajectory_agent(config): return None")
    folder.run("--evalset", "deep/x.evalset.json", agent=None).assert_outcomes(passed=1)


def test_the_hook_works_under_xdist(folder: Folder) -> None:
    folder.eval_set({"one": good(1), "two": good(2)}, name="deep/x.evalset.json")
    folder.write("deep/conftest.py", "import little_agent\ndef pytest_trajectory_agent(): return little_agent.agent")
    folder.pytester.makeini("[pytest]\npythonpath = .")
    folder.run("--evalset", "deep/x.evalset.json", "-n", "2", agent=None).assert_outcomes(passed=2)


def test_no_agent_is_a_usage_error_that_shows_the_ways(folder: Folder) -> None:
    folder.eval_set(ONE)
    result = folder.run("--evalset", "x.evalset.json", agent=None)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        [
            "ERROR: no agent*",
            "*--agent module:attribute*",
            "*trajectory_agent =*",
            "*pytest_trajectory_agent*",
            "*--recorded*",
        ]
    )


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("little_agent", "*not named as module:attribute*little_agent:agent*"),
        ("little_agent.py:agent", "*not named as module:attribute*little_agent:agent*"),
        ("no_such_module:agent", "*module 'no_such_module' is not found*"),
        ("little_agent:agnt", "*no 'agnt' in little_agent (did you mean 'agent'[?])"),
        ("broken:agent", "*'broken' cannot be imported: ZeroDivisionError: division by zero"),
        ("needs_more:agent", "*'needs_more' cannot be imported: ModuleNotFoundError: No module named 'no_such_thing'"),
        ("misspelt:agent", "*'misspelt' cannot be imported: SyntaxError*"),
        ("", None),
        ("a b:c", "*not named as module:attribute*"),
    ],
)
def test_an_agent_that_cannot_be_imported(folder: Folder, reference: str, message: str | None) -> None:
    folder.eval_set(ONE)
    folder.write("broken.py", "1 / 0")
    folder.write("needs_more.py", "import no_such_thing")
    folder.write("misspelt.py", "def def")
    result = folder.run("--evalset", "x.evalset.json", "--agent", reference, agent=None)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.no_fnmatch_line("*Traceback*")
    if message:
        result.stderr.fnmatch_lines(["ERROR: " + message])


@pytest.mark.parametrize(
    ("definition", "message"),
    [
        ("it = 5", "ERROR: a value of type int is no agent: an agent is*"),
        ("def it(a, b, c): ...", "ERROR: it wants (a, b, c): an agent is*"),
        ("def it(*, query): ...", "ERROR: it wants (query): an agent is*"),
        ("class it:\n    def __init__(self, model): ...", "ERROR: it wants (model): an agent is*"),
    ],
)
def test_what_is_seen_to_be_no_agent_is_a_usage_error(folder: Folder, definition: str, message: str) -> None:
    folder.eval_set(ONE)
    folder.write("mine.py", definition)
    result = folder.run("--evalset", "x.evalset.json", agent="mine:it")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([message])
    folder.write("conftest.py", f"{definition}\ndef pytest_trajectory_agent(): return it")
    result = folder.run("--evalset", "x.evalset.json", agent=None)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([message])


@pytest.mark.parametrize(
    ("definition", "message"),
    [
        ("def it(): return 5", "*it made no agent: a value of type int is no agent*"),
        ("class it:\n    def start_session(self): return 5", "*start_session() returned a value of type int*"),
    ],
)
def test_what_turns_out_to_be_no_agent_is_an_error(folder: Folder, definition: str, message: str) -> None:
    folder.eval_set(ONE)
    folder.write("mine.py", definition)
    result = folder.run("--evalset", "x.evalset.json", agent="mine:it")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([message])


def test_a_factory_makes_an_agent_for_every_thread(folder: Folder) -> None:
    folder.eval_set({"one": good(1), "two": good(2)})
    folder.write(
        "mine.py",
        """
        from little_agent import agent
        class Agent:
            made = 0
            def __init__(self):
                type(self).made += 1
                self.sessions = 0
            def start_session(self, session_id):
                self.sessions += 1
                assert self.sessions == 1, "a second session of one agent"
                assert len(session_id) > 8
                return self
            def send(self, message):
                return agent(message)
        """,
    )
    folder.run("--evalset", "x.evalset.json", agent="mine:Agent").assert_outcomes(passed=2)


def test_agent_and_recorded_together_are_refused(folder: Folder) -> None:
    folder.eval_set(ONE)
    result = folder.run("--evalset", "x.evalset.json", "--recorded", "x.evalset.json")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --agent and --recorded*"])


@pytest.mark.parametrize("xdist", [(), ("-n", "1")], ids=["alone", "xdist"])
def test_a_hook_that_raises_is_told_with_its_place(folder: Folder, xdist: tuple[str, ...]) -> None:
    folder.eval_set({"t": good(1)})
    folder.write("conftest.py", "def pytest_trajectory_agent():\n    raise ImportError('no such framework')\n")
    result = folder.run("--evalset", "x.evalset.json", *xdist, agent=None)
    assert result.ret != pytest.ExitCode.OK
    said = result.stdout.str() + result.stderr.str()
    assert "the hook pytest_trajectory_agent raised ImportError: no such framework" in said
    assert "conftest.py:2 in pytest_trajectory_agent" in said
    assert "INTERNALERROR" not in said
