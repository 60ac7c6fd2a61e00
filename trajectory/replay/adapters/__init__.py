"""Adapters: one module for each agent framework, imported only when an object of that framework is given as an agent."""

from trajectory.replay.adapters.registry import GROUP, Adapter, adapted, tried

__all__ = ["GROUP", "Adapter", "adapted", "tried"]
