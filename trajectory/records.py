"""Frozen records: the base of everything that eval sets and recordings are read into."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Final, Self, TypeAlias, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainValidator, ValidationInfo
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from trajectory.json_values import JsonObject, NotJson, describe, plain_json

TRUSTED_JSON: Final = {"json": "trusted"}
"""Validation context of readers that have already made sure that every value is plain JSON."""


_set: Final = object.__setattr__


class Record(BaseModel):
    """A frozen record that refuses what it does not know."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        defer_build=True,
        extra="forbid",
        frozen=True,
        validate_by_alias=True,
        validate_by_name=True,
    )

    @classmethod
    def of_sound(cls, **fields: Any) -> Self:
        """Make a record of parts of which the caller knows that they are sound: without looking at them, in a short time.

        Args:
            fields: The parts by their names; what is left out has its default.

        Returns:
            The record.
        """
        made = cls.__new__(cls)
        _set(made, "__dict__", {**_template(cls), **fields})
        _set(made, "__pydantic_fields_set__", set(fields))
        _set(made, "__pydantic_extra__", None)
        _set(made, "__pydantic_private__", None)
        return made

    def but(self, **fields: Any) -> Self:
        """Make a copy with other parts of which the caller knows that they are sound; quicker than `model_copy`.

        Args:
            fields: The parts that differ, by their names.

        Returns:
            The copy.
        """
        made = type(self).__new__(type(self))
        _set(made, "__dict__", {**self.__dict__, **fields})
        _set(made, "__pydantic_fields_set__", self.model_fields_set | fields.keys())
        _set(made, "__pydantic_extra__", self.__pydantic_extra__ and dict(self.__pydantic_extra__))
        _set(made, "__pydantic_private__", None)
        return made


@cache
def _template(kind: type[Record]) -> dict[str, Any]:
    """Give the fields of a record in their order, with their defaults where they have one."""
    return {name: None if field.is_required() else field.default for name, field in kind.model_fields.items()}


def json_object(value: object, info: ValidationInfo) -> Any:
    """Take a JSON object; a copy of it unless the reader vouches for it."""
    if type(value) is dict and info.context is TRUSTED_JSON:
        return value
    if not isinstance(value, dict):
        raise PydanticCustomError("json_object", "expected an object, found {found}", {"found": describe(value)})
    try:
        return plain_json(value)
    except NotJson as problem:
        raise PydanticCustomError(
            "json_object", "expected plain JSON, found {found}", {"found": str(problem)}
        ) from None


def _never_null(value: object, info: ValidationInfo) -> object:
    """Refuse ``null`` in a file where a key may be left out but holds no null; in code ``None`` says "left out"."""
    if value is None and info.context is TRUSTED_JSON:
        raise PydanticCustomError("null", "expected a value or no such key, found null")
    return value


_T = TypeVar("_T")
Optional: TypeAlias = Annotated[_T | None, BeforeValidator(_never_null)]


def _never_from_file(value: object, info: ValidationInfo) -> object:
    """Refuse in a file a fact that only recordings and running agents give: no format of eval sets has a place for it."""
    if info.context is TRUSTED_JSON:
        raise PydanticCustomError("extra_forbidden", "Extra inputs are not permitted")
    return value


InCode: TypeAlias = Annotated[_T | None, BeforeValidator(_never_from_file)]
"""A fact that is known in code and stands in no file of the native shape."""


def in_code(name: str) -> Any:
    """Declare a field for such a fact, with an alias that is no key of any file."""
    return Field(default=None, alias=f"<{name}>", exclude=True, repr=False)


PlainObject: TypeAlias = Annotated[JsonObject, PlainValidator(json_object, json_schema_input_type=JsonObject)]
