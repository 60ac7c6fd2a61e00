"""Models whose fields are described by the texts below them in the source, which is read when somebody wants to know."""

from __future__ import annotations

import ast
import inspect
import textwrap
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from pydantic import BaseModel

if TYPE_CHECKING:
    from pydantic import GetJsonSchemaHandler
    from pydantic.json_schema import JsonSchemaValue
    from pydantic_core import CoreSchema


class Described(BaseModel):
    """A model with such fields. pydantic can read these texts too, but does so whenever the module is imported."""

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Describe the fields in the JSON Schema of the model."""
        schema = handler(core_schema)
        properties = handler.resolve_ref_schema(schema).get("properties", {})
        for name, text in descriptions(cls).items():
            if name in properties:
                properties[name].setdefault("description", text)
        return schema


@cache
def descriptions(model: type[BaseModel]) -> dict[str, str]:
    """Read what the source says of the fields of a model.

    Args:
        model: The model.

    Returns:
        For each field that is described, by a text below it or in its definition, the text.
    """
    found: dict[str, str] = {}
    for one in reversed(model.__mro__):
        if issubclass(one, BaseModel) and one not in {BaseModel, Described}:
            found.update(_below_fields(one))
    stated = {name: field.description for name, field in model.model_fields.items() if field.description}
    return {name: text for name, text in {**found, **stated}.items() if name in model.model_fields}


def _below_fields(model: type[BaseModel]) -> dict[str, str]:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(model)))
    except (OSError, TypeError, SyntaxError):  # made while the program runs
        return {}
    (definition,) = tree.body
    body = definition.body if isinstance(definition, ast.ClassDef) else []
    found = {}
    for field, text in pairwise(body):
        match field, text:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(said))):
                found[name] = inspect.cleandoc(said)
            case _:
                pass
    return found
