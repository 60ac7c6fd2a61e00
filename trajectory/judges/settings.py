"""How an HTTP judge is configured: in ``pyproject.toml``, the ini file, or the environment; the last one wins."""

from __future__ import annotations

import math
import os
import re
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import PydanticCustomError

from trajectory.described import Described
from trajectory.errors import ConfigurationError
from trajectory.invalid import key_hint, setting_problem

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

ENVIRONMENT: Final = "TRAJECTORY_JUDGE_"
"""What the names of environment variables begin with: ``TRAJECTORY_JUDGE_MODEL`` and so on."""


_SECRETIVE: Final = {"base_url": "another address", "api_key_env": "another text"}
"""What is said of a wrong value that may hold a password or a key."""
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def _address(text: str) -> str:
    try:
        parts = urlsplit(text)
        is_address = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address:
        raise PydanticCustomError("setting", "expected an address such as https://host/v1")
    if parts.username or parts.password:
        raise PydanticCustomError("setting", "expected an address without a user or a password; name a key's variable")
    if parts.query or parts.fragment:
        raise PydanticCustomError("setting", "expected an address without a query or a fragment")
    return text.rstrip("/")


def _variable(text: str) -> str:
    if not _VARIABLE.fullmatch(text):
        raise PydanticCustomError("setting", "expected the name of an environment variable, not the key itself")
    return text


def _no_truth(value: object) -> object:
    """Refuse true and false, which pydantic takes for 1 and 0; other texts are read as numbers (ini, environment)."""
    if isinstance(value, bool):
        raise PydanticCustomError("setting", "expected a number")
    return value


def _temperature(value: object) -> object:
    """Read ``default`` or a number; said here, because pydantic names every member of a union that did not fit."""
    try:
        number = float(value) if isinstance(value, int | float | str) and not isinstance(value, bool) else -1.0
    except (ValueError, OverflowError):
        number = 0.0 if value == "default" else -1.0
    if not 0 <= number < math.inf:
        raise PydanticCustomError("setting", "expected a number of at least 0, or default")
    return value if value == "default" else number


_Number: TypeAlias = Annotated[float, BeforeValidator(_no_truth), Field(ge=0, allow_inf_nan=False)]
_Whole: TypeAlias = Annotated[int, BeforeValidator(_no_truth)]


class JudgeSettings(Described):
    """What can be set about a judge behind an OpenAI-compatible endpoint."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    base_url: Annotated[str, AfterValidator(_address)]
    """The address of the endpoint, up to and with the version: https://host/v1."""
    model: Annotated[str, Field(min_length=1)]
    """The model that judges."""
    api_key_env: Annotated[str, AfterValidator(_variable)] | None = None
    """The name of the environment variable that holds the key."""
    timeout: Annotated[_Number, Field(gt=0)] = 60.0
    """Seconds that one answer may take."""
    temperature: Annotated[float | Literal["default"], BeforeValidator(_temperature)] = 0.0
    """The temperature; default sends none, for models that take no other than their own."""
    seed: _Whole | None = None
    """The seed, for endpoints that know one."""
    concurrency: Annotated[_Whole, Field(ge=1)] = 4
    """How many questions may be open at once."""
    retries: Annotated[_Whole, Field(ge=0)] = 3
    """How often a question is asked again that the endpoint could not take: 408, 409, 429, 5xx, no connection."""

    @property
    def identity(self) -> dict[str, str]:
        """What decides the answers, beside the prompt."""
        return {"endpoint": self.base_url, "temperature": str(self.temperature), "seed": str(self.seed)}


def read_judge_settings(
    *, pyproject: Path | None = None, ini: Mapping[str, str] | None = None, environment: Mapping[str, str] | None = None
) -> JudgeSettings | None:
    """Read how the judge is configured.

    Args:
        pyproject: The file ``pyproject.toml``, whose table ``tool.trajectory.judge`` is read.
        ini: The keys that the ini file states.
        environment: The environment; by default that of the process.

    Returns:
        The settings; ``None`` when nobody configures a judge.

    Raises:
        ConfigurationError: One of them states something wrong.
    """
    variables = os.environ if environment is None else environment
    keys = JudgeSettings.model_fields
    stated: dict[str, Any] = {**_table(pyproject), **{key: value for key, value in (ini or {}).items() if value}}
    stated |= {key: variables[name] for key in keys if variables.get(name := ENVIRONMENT + key.upper())}
    if not stated:
        return None
    try:
        return JudgeSettings.model_validate(stated)
    except ValidationError as invalid:
        lines = []
        for error in invalid.errors():
            pointer, expected, found, hint = setting_problem(error, lambda _: keys)
            found = _SECRETIVE.get(str(error["loc"][0]), found)
            lines.append(
                f"the judge's settings{pointer}: expected {expected}, found {found}{f' ({hint})' if hint else ''}"
            )
        raise ConfigurationError("\n".join(lines)) from None


def _table(pyproject: Path | None) -> dict[str, Any]:
    if pyproject is None or not pyproject.is_file():
        return {}
    import tomllib  # noqa: PLC0415 - rarely needed

    try:
        document = tomllib.loads(pyproject.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise ConfigurationError(f"{pyproject}: cannot be read: {problem}") from None
    table = document.get("tool", {}).get("trajectory", {})
    unknown = [key for key in table if key != "judge"]
    if unknown:
        hint = key_hint(unknown[0], ["judge"])
        raise ConfigurationError(
            f"{pyproject}: tool.trajectory: expected the table judge, found {unknown[0]!r} ({hint})"
        )
    judge = table.get("judge", {})
    if not isinstance(judge, dict):
        raise ConfigurationError(f"{pyproject}: tool.trajectory.judge: expected a table")
    return judge
