"""Run threads: replay each as often as it asks for, and judge what came of it."""

from trajectory.running.repetitions import Label, ThreadRuns
from trajectory.running.threads import run_thread

__all__ = ["Label", "ThreadRuns", "run_thread"]
