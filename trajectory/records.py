"""Frozen records: the base of everything that eval sets and recordings are read into."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Final, Self, TypeAlias, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainValidator, ValidationInfo
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError, SchemaValidator, core_schema

from trajectory.json_values import JsonObject, NotJson, describe, plain_json

if TYPE_CHECKING:
    from collections.abc import Callable

TRUSTED_JSON: Final = {"json": "trusted"}
"""Validation context of readers that have already made sure that every value is plain JSON."""


_new: Final = object.__new__
_set_values, _set_stated, _set_extra, _set_private = (
    BaseModel.__dict__[slot].__set__
    for slot in ("__dict__", "__pydantic_fields_set__", "__pydantic_extra__", "__pydantic_private__")
)
"""The slots of a model, each set in a fraction of the time that goes into finding it by its name."""


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
        made: Self = _maker(cls)(fields)
        return made

    def changed(self, **fields: Any) -> Self:
        """Copy the record with other parts, of which the caller knows that they are sound.

        Args:
            fields: The parts by their names.

        Returns:
            The copy; the rest of it is what the record holds.
        """
        made = _new(type(self))
        _set_values(made, self.__dict__ | fields)
        _set_stated(made, self.__pydantic_fields_set__ | fields.keys())
        _set_extra(made, self.__pydantic_extra__)
        _set_private(made, None)
        return made


@cache
def _maker(kind: type[Record]) -> Callable[[dict[str, Any]], Any]:
    """Make what makes records of a kind without looking at their parts, compiled as those that look at them are."""
    parts = {
        name: core_schema.model_field(
            core_schema.with_default_schema(
                core_schema.any_schema(), default=None if field.is_required() else field.default
            )
        )
        for name, field in kind.model_fields.items()
    }
    schema = core_schema.model_schema(kind, core_schema.model_fields_schema(parts))
    return SchemaValidator(schema).validate_python


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
