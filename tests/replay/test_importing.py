"""An agent imported by its name."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from trajectory.errors import AgentError
from trajectory.replay.importing import import_agent

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = """
class Holder:
    class Inner:
        attribute = "inner"
agent = "the agent"
nothing = None
def __getattr__(name):
    if name == "lazy":
        return "lazy agent"
    if name == "broken":
        raise OSError("no disk")
    raise AttributeError(name)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "modules", {**sys.modules})
    (tmp_path / "some_agent.py").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "some_package").mkdir()
    (tmp_path / "some_package" / "__init__.py").write_text("", encoding="utf-8")
    (tmp_path / "some_package" / "module.py").write_text("agent = 'from a package'", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("reference", "found"),
    [
        ("some_agent:agent", "the agent"),
        ("some_agent:Holder.Inner.attribute", "inner"),
        ("some_agent:lazy", "lazy agent"),
        ("some_package.module:agent", "from a package"),
    ],
)
def test_what_is_found(folder: Path, reference: str, found: str) -> None:
    assert import_agent(reference, folder=folder) == found


def test_the_folder_is_put_on_the_path_once(folder: Path) -> None:
    for _ in range(2):
        import_agent("some_agent:agent", folder=folder)
    assert sys.path.count(str(folder)) == 1


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("some_agent", r"not named as module:attribute \(such as 'some_agent:agent'\)"),
        ("some_agent.py", r"not named as module:attribute \(did you mean 'some_agent:attribute'\?\)"),
        ("./pack/some_agent.py:agent", r"not named as module:attribute \(did you mean 'pack.some_agent:agent'\?\)"),
        ("some_agent:", "not named as module:attribute"),
        (":agent", "not named as module:attribute"),
        ("some_agent:agent()", "not named as module:attribute"),
        ("some agent:agent", "not named as module:attribute"),
        ("", "not named as module:attribute"),
        ("nowhere:agent", "the agent's module 'nowhere' is not found, neither installed nor under "),
        ("some_package.nowhere:agent", "the agent's module 'some_package.nowhere' is not found"),
        ("some_agent.deeper:agent", "the agent's module 'some_agent.deeper' is not found"),
        ("some_agent:agnt", r"there is no 'agnt' in some_agent \(did you mean 'agent'\?\)"),
        ("some_agent:Holder.Iner", r"there is no 'Iner' in some_agent.Holder \(did you mean 'Inner'\?\)"),
        ("some_agent:zzz", "there is no 'zzz' in some_agent$"),
        ("some_agent:nothing", "the agent 'some_agent:nothing' is None"),
        ("some_agent:broken", "'broken' in some_agent cannot be read: OSError: no disk"),
    ],
)
def test_what_is_not_found(folder: Path, reference: str, message: str) -> None:
    with pytest.raises(AgentError, match=message):
        import_agent(reference, folder=folder)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("1 / 0", "'bad_agent' cannot be imported: ZeroDivisionError: division by zero\n  at .*bad_agent.py:1"),
        ("def", "'bad_agent' cannot be imported: SyntaxError"),
        ("import no_such_thing", "cannot be imported: ModuleNotFoundError: No module named 'no_such_thing'"),
        ("import bad_agent.child", "cannot be imported: ModuleNotFoundError: No module named 'bad_agent.child'"),
        ("raise SystemExit(0)", "'bad_agent' cannot be imported: SystemExit: 0"),
        ("import pytest\npytest.skip('not here', allow_module_level=True)", "cannot be imported: Skipped: not here"),
    ],
)
def test_a_module_that_breaks_is_never_the_end_of_the_run(folder: Path, source: str, message: str) -> None:
    (folder / "bad_agent.py").write_text(source, encoding="utf-8")
    with pytest.raises(AgentError, match=message):
        import_agent("bad_agent:agent", folder=folder)


def test_ctrl_c_while_importing_is_the_users(folder: Path) -> None:
    (folder / "slow_agent.py").write_text("raise KeyboardInterrupt", encoding="utf-8")
    with pytest.raises(KeyboardInterrupt):
        import_agent("slow_agent:agent", folder=folder)
