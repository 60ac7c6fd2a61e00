"""Run threads: replay each as often as it asks for, and judge what came of it."""

from trajectory.running.ahead import Ahead
from trajectory.running.budget import Budget
from trajectory.running.interrupts import Interrupts
from trajectory.running.repetitions import Label, ThreadRuns, mean_f1
from trajectory.running.threads import RunHalted, given_up, run_thread

__all__ = ["Ahead", "Budget", "Interrupts", "Label", "RunHalted", "ThreadRuns", "given_up", "mean_f1", "run_thread"]
