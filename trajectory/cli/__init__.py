"""The command line."""

from trajectory.cli.main import main

__all__ = ["main"]
