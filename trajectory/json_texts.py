"""JSON texts that nobody could read in two ways, at the speed of a compiled parser."""

from __future__ import annotations

import marshal
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from trajectory.json_values import JsonValue

jiter: Any = import_module("jiter") if find_spec("jiter") else None
"""The parser; ``None`` on a platform for which it is not built, where the standard parser reads everything."""
_INFINITY: Final = b"\0\0\0\0\0\0\xf0\x7f"
_MINUS_INFINITY: Final = b"\0\0\0\0\0\0\xf0\xff"
"""How `marshal` writes the doubles that ``1e400`` and ``-1e400`` become."""
_BOTH: Final = _INFINITY[:-1]
"""How both of them begin, and few other doubles: one search instead of two."""
_BINARY_FLOATS: Final = 2
"""The first format of `marshal` that writes doubles as they are; later ones are slower."""


def read_sound(text: str) -> list[JsonValue]:
    """Read a JSON text that is sound beyond doubt.

    That is one without a key that stands twice in an object, half of a surrogate pair, a number that is not finite or
    longer than Python reads, and nesting beyond `MAX_DEPTH`.

    Args:
        text: The text.

    Returns:
        Its value, alone in a list; an empty list when there is any doubt. Who has to know more asks the standard parser.
    """
    if jiter is None:
        return []
    try:
        # The parser lets pass one level too many, if nothing is in it; inside of an array it cannot.
        data = f"[{text}]".encode()
        held: list[JsonValue] = jiter.from_json(data, allow_inf_nan=False, catch_duplicate_keys=True)
    except ValueError:
        return []
    return held if len(held) == 1 and not _holds_infinity(held) else []


def _holds_infinity(value: JsonValue) -> bool:
    """Look for numbers that were too large for a double; to walk through the value would take longer than to read it."""
    written = marshal.dumps(value, _BINARY_FLOATS)
    return _BOTH in written and (_INFINITY in written or _MINUS_INFINITY in written)
