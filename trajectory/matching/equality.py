"""When two JSON values are equal: canonical keys that compare and hash as the values should.

Python's own ``==`` will not do: it takes ``True`` for ``1``, recurses as deep as its data, and its values do not hash.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, TypeAlias

from trajectory.json_values import MAX_DEPTH, JsonValue, NotJson

if TYPE_CHECKING:
    from collections.abc import Hashable

Key: TypeAlias = tuple["Hashable", ...]

_CONSTANTS: Final = {None: ("null",), True: ("true",), False: ("false",)}


def fold(text: str) -> str:
    """Fold ``A``-``Z`` to ``a``-``z``; every other character stays.

    Args:
        text: Any text, lone surrogates included.

    Returns:
        The folded text, as long as ``text``.
    """
    if text.isascii():
        return text.lower()
    # In UTF-8 no byte of a longer character is an ASCII letter, and bytes know no other letters.
    return text.encode("utf-8", "surrogatepass").lower().decode("utf-8", "surrogatepass")


def canonical_key(value: JsonValue, *, case_sensitive: bool = True) -> Key:
    """Make a flat key that is equal for two JSON values exactly if the values are.

    The tokens follow level after level; each container states its keys or its length, so that two different values
    never share a key. Numbers stand for themselves: Python compares and hashes integers and doubles by exact value.

    Args:
        value: A JSON value.
        case_sensitive: ``False`` folds ``A``-``Z`` in string values; never in the keys of objects.

    Returns:
        The key; hashing and comparing it takes no recursion.

    Raises:
        NotJson: The value is no plain JSON, or nested beyond 200 levels.
    """
    tokens: list[Hashable] = []
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        below: list[JsonValue] = []
        for item in level:
            kind = type(item)
            if kind is str:
                tokens.append(item if case_sensitive else fold(item))
            elif kind is int:
                tokens.append(item)
            elif kind is dict:
                keys = _sorted_keys(item)
                tokens.append(("object", *keys))
                below += [item[key] for key in keys]
            elif kind is list:
                tokens.append(("array", len(item)))
                below += item
            else:
                tokens.append(_rare_token(item))
        if not below:
            return tuple(tokens)
        level = below
    raise NotJson("", f"nesting beyond {MAX_DEPTH} levels")


def _sorted_keys(value: dict[str, JsonValue]) -> list[str]:
    try:
        "".join(value)  # the fastest way to make sure that each key is a string
    except TypeError:
        raise NotJson("", "a key that is no string") from None
    return sorted(value)


def _rare_token(value: object) -> Hashable:
    if value is None or value is True or value is False:
        return _CONSTANTS[value]
    if not isinstance(value, float):
        raise NotJson("", f"a value of type {type(value).__name__} is not plain JSON")
    if not math.isfinite(value):
        raise NotJson("", f"{value!r} is not a JSON number")
    return value
