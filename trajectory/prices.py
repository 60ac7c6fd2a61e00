"""What tokens cost, by model: a table that the user supplies. None is built in, for it would go stale."""

from __future__ import annotations

import json
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, RootModel, Strict, ValidationError

from trajectory.errors import ConfigurationError
from trajectory.invalid import setting_problem

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from trajectory.usage import Usage

_MILLION = 1_000_000
Rate: TypeAlias = Annotated[float, Strict(), Field(ge=0, allow_inf_nan=False)]


class Price(BaseModel):
    """What a million tokens of a model cost, in US dollars.

    Attributes:
        input: Those that it is given.
        output: Those that it makes.
        cached: Those of the input that are read from a cache; without this, as much as the others.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    input: Rate
    output: Rate
    cached: Rate | None = None


class Prices(RootModel[dict[str, Price]]):
    """Prices by the name of a model, or a pattern with ``*``; an exact name wins over patterns, the first of which counts."""

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Prices:
        """Load a table of prices from a JSON or TOML file.

        Args:
            path: The file: ``{"gpt-*": {"input": 1.25, "output": 10, "cached": 0.125}}``.

        Raises:
            ConfigurationError: It cannot be read, or is no such table.
        """
        import tomllib  # noqa: PLC0415 - rarely needed

        file = Path(path)
        try:
            text = file.read_text(encoding="utf-8")
            document: Any = tomllib.loads(text) if file.suffix == ".toml" else json.loads(text)
        except OSError as problem:
            raise ConfigurationError(f"{path}: the prices cannot be read: {problem.strerror}") from None
        except (ValueError, RecursionError) as problem:
            raise ConfigurationError(f"{path}: expected prices in JSON or TOML: {problem}") from None
        try:
            return cls.model_validate(document)
        except ValidationError as invalid:
            problems = [setting_problem(error, lambda _: Price.model_fields) for error in invalid.errors()]
            lines = [f"{path}: {at or '/'}: expected {expected}, found {found}" for at, expected, found, _ in problems]
            raise ConfigurationError("\n".join(lines)) from None

    def cost(self, usage: Usage, models: Sequence[str]) -> float | None:
        """Work out what tokens cost.

        Args:
            usage: The tokens.
            models: The models that took them together.

        Returns:
            US dollars; ``None`` where tokens or models are not known, a model has no price, or models of different
            prices took part, so that nobody knows which took how much.
        """
        prices = {self._of(model) for model in models}
        if len(prices) != 1 or usage.input_tokens is None or usage.output_tokens is None:
            return None
        price = prices.pop()
        if price is None:
            return None
        cached = min(usage.cached_tokens or 0, usage.input_tokens)
        rate = price.input if price.cached is None else price.cached
        total = (usage.input_tokens - cached) * price.input + cached * rate + usage.output_tokens * price.output
        return total / _MILLION

    def _of(self, model: str) -> Price | None:
        if model in self.root:
            return self.root[model]
        return next((price for pattern, price in self.root.items() if fnmatchcase(model, pattern)), None)
