"""Thread ids as names of pytest items: nothing in them may break selection, and no two may become one."""

from __future__ import annotations

import hashlib
from typing import Final

_BREAKS_SELECTION: Final = frozenset("%[]/\\")
_LONGEST: Final = 100


def node_name(thread_id: str) -> str:
    """Name the item of a thread.

    Ordinary ids stay as they are. ``::``, brackets, slashes, ``%`` and what does not print are percent-encoded, very
    long ids are cut and told apart by a hash, so that two ids never share a name.

    Args:
        thread_id: The id as the eval set has it; any text.

    Returns:
        A name that pytest can select by.
    """
    name = "".join(_escape(character) for character in thread_id).replace("::", "%3A%3A")
    if len(name) > _LONGEST:
        digest = hashlib.sha256(thread_id.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        return f"{name[:_LONGEST]}...{digest}"
    return name or "%"


def _escape(character: str) -> str:
    if character.isprintable() and character not in _BREAKS_SELECTION:
        return character
    return "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))
