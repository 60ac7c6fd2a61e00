"""The formats of this package. A further one is a module and a line here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trajectory.recordings.formats.adk_session import ADK_SESSION
from trajectory.recordings.formats.ag_ui import AG_UI
from trajectory.recordings.formats.anthropic import ANTHROPIC
from trajectory.recordings.formats.atif import ATIF
from trajectory.recordings.formats.claude_code import CLAUDE_CODE
from trajectory.recordings.formats.claude_stream import CLAUDE_STREAM
from trajectory.recordings.formats.codex import CODEX
from trajectory.recordings.formats.codex_exec import CODEX_EXEC
from trajectory.recordings.formats.flat_spans import FLAT_SPANS, OTEL_CONSOLE, PHOENIX
from trajectory.recordings.formats.gemini_cli import GEMINI_CLI
from trajectory.recordings.formats.google_contents import GOOGLE_CONTENTS
from trajectory.recordings.formats.inspect_ai import INSPECT_AI
from trajectory.recordings.formats.jaeger import JAEGER
from trajectory.recordings.formats.langchain import LANGCHAIN
from trajectory.recordings.formats.langsmith import LANGSMITH
from trajectory.recordings.formats.mcp_log import MCP_LOG
from trajectory.recordings.formats.openai_agents_trace import OPENAI_AGENTS_TRACE
from trajectory.recordings.formats.openai_chat import OPENAI_CHAT
from trajectory.recordings.formats.openai_responses import OPENAI_RESPONSES
from trajectory.recordings.formats.openhands import OPENHANDS
from trajectory.recordings.formats.openhands_v0 import OPENHANDS_V0
from trajectory.recordings.formats.otlp import OTLP, TEMPO
from trajectory.recordings.formats.pydantic_ai import PYDANTIC_AI
from trajectory.recordings.formats.smolagents import SMOLAGENTS
from trajectory.recordings.formats.strands import STRANDS, STRANDS_SESSION
from trajectory.recordings.formats.swe_agent import MINI_SWE_AGENT, SWE_AGENT
from trajectory.recordings.formats.tau import TAU2_BENCH, TAU2_MESSAGES, TAU_BENCH
from trajectory.recordings.formats.vercel_ai import VERCEL_AI

if TYPE_CHECKING:
    from trajectory.recordings.formats.base import Format

FORMATS: Final[tuple[Format, ...]] = (
    OPENAI_CHAT,
    ANTHROPIC,
    LANGCHAIN,
    OPENAI_RESPONSES,
    OPENAI_AGENTS_TRACE,
    ADK_SESSION,
    CLAUDE_CODE,
    CLAUDE_STREAM,
    CODEX,
    CODEX_EXEC,
    PYDANTIC_AI,
    ATIF,
    STRANDS,
    STRANDS_SESSION,
    TAU_BENCH,
    TAU2_BENCH,
    TAU2_MESSAGES,
    INSPECT_AI,
    GEMINI_CLI,
    GOOGLE_CONTENTS,
    OPENHANDS,
    OPENHANDS_V0,
    SWE_AGENT,
    MINI_SWE_AGENT,
    SMOLAGENTS,
    VERCEL_AI,
    AG_UI,
    MCP_LOG,
    OTLP,
    TEMPO,
    JAEGER,
    OTEL_CONSOLE,
    PHOENIX,
    FLAT_SPANS,
    LANGSMITH,
)
