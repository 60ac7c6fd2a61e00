"""The formats of recordings, told apart by content; one of them has to match."""

from __future__ import annotations

from typing import Final

from trajectory.recordings.formats.base import Format, Reading
from trajectory.recordings.formats.flat_spans import FLAT_SPANS, OTEL_CONSOLE, PHOENIX
from trajectory.recordings.formats.jaeger import Jaeger
from trajectory.recordings.formats.otlp import Otlp, Tempo

FORMATS: Final[tuple[Format, ...]] = (Otlp(), Tempo(), Jaeger(), OTEL_CONSOLE, PHOENIX, FLAT_SPANS)

__all__ = ["FORMATS", "Format", "Reading"]
