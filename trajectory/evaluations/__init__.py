"""Rules: what was expected and what was done, turned into verdicts."""

from trajectory.evaluations.judging import judge, rules_label
from trajectory.evaluations.verdicts import Outcome, RuleResult, RuleVerdict, ThreadResult, TurnResult, Verdict

__all__ = ["Outcome", "RuleResult", "RuleVerdict", "ThreadResult", "TurnResult", "Verdict", "judge", "rules_label"]
