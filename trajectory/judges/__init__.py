"""LLM judges: what they are asked, how the answer is read, and how far they can be trusted.

Nothing here calls a model unless a judge is configured and a rule that needs one is in force.
"""

from trajectory.judges.asking import Decision, JudgeInForce, judge_in_force, set_judge
from trajectory.judges.cache import JudgeCache
from trajectory.judges.fencing import Fence
from trajectory.judges.protocol import Judge, as_judge
from trajectory.judges.reading import JudgeError
from trajectory.judges.templates import Template, template

__all__ = [
    "Decision",
    "Fence",
    "Judge",
    "JudgeCache",
    "JudgeError",
    "JudgeInForce",
    "Template",
    "as_judge",
    "judge_in_force",
    "set_judge",
    "template",
]
