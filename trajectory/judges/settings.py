"""How an HTTP judge is configured: in ``pyproject.toml``, the ini file, or the environment; the last one wins."""

from __future__ import annotations

import os
import tomllib
from typing import TYPE_CHECKING, Annotated, Any, Final
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import PydanticCustomError

from trajectory.errors import ConfigurationError
from trajectory.invalid import key_hint, setting_problem

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

ENVIRONMENT: Final = "TRAJECTORY_JUDGE_"
"""What the names of environment variables begin with: ``TRAJECTORY_JUDGE_MODEL`` and so on."""


def _address(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise PydanticCustomError("setting", "expected an address such as https://host/v1")
    if parts.username or parts.password:
        raise PydanticCustomError("setting", "expected an address without a user or a password; name a key's variable")
    return text.rstrip("/")


class JudgeSettings(BaseModel):
    """What can be set about a judge behind an OpenAI-compatible endpoint."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    base_url: Annotated[str, AfterValidator(_address)]
    """The address of the endpoint, up to and with the version: https://host/v1."""
    model: Annotated[str, Field(min_length=1)]
    """The model that judges."""
    api_key_env: str | None = None
    """The name of the environment variable that holds the key."""
    timeout: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 60.0
    """Seconds that one answer may take."""
    temperature: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    """The temperature."""
    seed: int | None = None
    """The seed, for endpoints that know one."""
    concurrency: Annotated[int, Field(ge=1)] = 4
    """How many questions may be open at once."""
    retries: Annotated[int, Field(ge=0)] = 3
    """How often a question is asked again that the endpoint could not take: 408, 409, 429, 5xx, no connection."""

    @property
    def identity(self) -> dict[str, str]:
        """What decides the answers, beside the prompt."""
        return {"endpoint": self.base_url, "temperature": f"{self.temperature:g}", "seed": str(self.seed)}


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
            found = "another address" if error["loc"] == ("base_url",) else found  # it may hold a password
            lines.append(
                f"the judge's settings{pointer}: expected {expected}, found {found}{f' ({hint})' if hint else ''}"
            )
        raise ConfigurationError("\n".join(lines)) from None


def _table(pyproject: Path | None) -> dict[str, Any]:
    if pyproject is None or not pyproject.is_file():
        return {}
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
