"""Ctrl-C that is heard whatever it hits.

An interrupt is raised wherever the program stands. In the middle of a callback of pydantic it becomes another exception,
or is lost, and code of a user may swallow it. A run that goes on after Ctrl-C, or comes to a wrong verdict on the thread
that it hit, must not be.
"""

from __future__ import annotations

import signal
import threading
import warnings
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from types import FrameType, TracebackType


class Interrupts:
    """Listens while it is entered, in the main thread, and where nobody else has taken over Ctrl-C.

    Attributes:
        came: Whether an interrupt came.
    """

    def __init__(self) -> None:
        self.came = False
        self._before: Any = None

    def __enter__(self) -> Self:
        """Begin to listen."""
        if threading.current_thread() is threading.main_thread():
            handler = signal.getsignal(signal.SIGINT)
            if handler is signal.default_int_handler:
                self._before = signal.signal(signal.SIGINT, self._hear)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Stop listening; what an interrupt became on its way is an interrupt again.

        Raises:
            KeyboardInterrupt: One came.
        """
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
        if not isinstance(raised, KeyboardInterrupt):
            self.check()

    def check(self) -> None:
        """Make sure that none came.

        Raises:
            KeyboardInterrupt: One came.
        """
        if self.came:
            raise KeyboardInterrupt

    def _hear(self, number: int, frame: FrameType | None) -> None:
        self.came = True
        warnings.filterwarnings(
            "ignore", "Pydantic serializer warnings"
        )  # it may come of the interrupt, and tell nothing
        signal.default_int_handler(number, frame)
