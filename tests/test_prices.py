"""Prices that the user supplies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.running.test_budget import trace
from trajectory.conversation import Usage
from trajectory.errors import ConfigurationError
from trajectory.prices import Prices
from trajectory.running import Budget

if TYPE_CHECKING:
    from pathlib import Path

TABLE = Prices.model_validate(
    {
        "big-1": {"input": 1, "output": 2},
        "big-*": {"input": 10, "output": 20, "cached": 1},
        "same": {"input": 1, "output": 2},
    }
)


@pytest.mark.parametrize(
    ("usage", "models", "cost"),
    [
        (Usage(1_000_000, 0), ["big-1"], 1.0),
        (Usage(0, 1_000_000), ["big-1"], 2.0),
        (Usage(1_000_000, 1_000_000), ["big-2"], 30.0),
        (Usage(1_000_000, 0, cached_tokens=500_000), ["big-2"], 5.5),
        (Usage(1_000_000, 0, cached_tokens=500_000), ["big-1"], 1.0),
        (Usage(1_000_000, 0), ["big-1", "same"], 1.0),
        (Usage(1_000_000, 0), ["big-1", "big-2"], None),
        (Usage(1_000_000, 0), ["small"], None),
        (Usage(1_000_000, 0), [], None),
        (Usage(1_000_000), ["big-1"], None),
    ],
)
def test_costs(usage: Usage, models: list[str], cost: float | None) -> None:
    assert TABLE.cost(usage, models) == (None if cost is None else pytest.approx(cost))


def test_files(tmp_path: Path) -> None:
    (tmp_path / "p.json").write_text('{"m-*": {"input": 1, "output": 2.5}}', encoding="utf-8")
    (tmp_path / "p.toml").write_text('["m-*"]\ninput = 1\noutput = 2.5\n', encoding="utf-8")
    assert Prices.load(tmp_path / "p.json") == Prices.load(tmp_path / "p.toml")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "expected prices in JSON or TOML"),
        ("[]", "/: expected"),
        ('{"m": 3}', "/m: expected an object"),
        ('{"m": {"input": 1}}', "the setting 'output'"),
        ('{"m": {"input": -1, "output": 1}}', "/m/input: expected a number greater than or equal to 0"),
        ('{"m": {"input": "1", "output": 1}}', "/m/input: expected a number, found"),
        ('{"m": {"input": 1, "output": 1, "outptu": 1}}', "unknown key 'outptu'"),
    ],
)
def test_what_are_no_prices(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "p.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError) as caught:
        Prices.load(file)
    assert str(file) in str(caught.value)
    assert message in str(caught.value)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="the prices cannot be read: No such file"):
        Prices.load(tmp_path / "p.json")


def test_a_budget_prices_turns_that_do_not_say_what_they_cost() -> None:
    budget = Budget(usd=3.5, prices=TABLE)
    turn = trace(Usage(1_000_000, 500_000)).model_copy(update={"models": ("big-1",)})
    priced = budget.charge(turn)
    assert priced.usage == Usage(1_000_000, 500_000, cost_usd=2.0)
    assert budget.halt() == ""
    assert budget.charge(trace(Usage(1, 1, cost_usd=1.5))).usage == Usage(1, 1, cost_usd=1.5)
    assert "spent 3.5 of 3.5 USD" in budget.halt()
    assert budget.uncounted_turns == 0
