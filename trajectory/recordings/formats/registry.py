"""The formats of this package. A further one is a module and a line here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trajectory.recordings.formats.flat_spans import FLAT_SPANS, OTEL_CONSOLE, PHOENIX
from trajectory.recordings.formats.jaeger import JAEGER
from trajectory.recordings.formats.langsmith import LANGSMITH
from trajectory.recordings.formats.otlp import OTLP, TEMPO

if TYPE_CHECKING:
    from trajectory.recordings.formats.base import Format

FORMATS: Final[tuple[Format, ...]] = (
    OTLP,
    TEMPO,
    JAEGER,
    OTEL_CONSOLE,
    PHOENIX,
    FLAT_SPANS,
    LANGSMITH,
)
