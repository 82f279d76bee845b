"""The statistics of catherd: exact p-values also for ties, effect sizes with confidence intervals."""

from __future__ import annotations

import json
from typing import Any, Dict, Iterable, NamedTuple, Optional, Tuple

from ._binary import CatherdError, call

__all__ = ["A12", "MannWhitney", "a12", "compare", "mann_whitney"]


class A12(NamedTuple):
    """Vargha and Delaney's effect size: the probability that a value of the first sample is larger than
    one of the second, plus half of the probability that they are equal."""

    estimate: float
    #: Ends of the 95 % confidence interval; None if there is none.
    interval: Optional[Tuple[float, float]]
    #: `negligible`, `small`, `medium` or `large`; None if there is none.
    magnitude: Optional[str]


class MannWhitney(NamedTuple):
    """The two-sided Mann-Whitney U test."""

    #: U of the first sample.
    u: float
    p: float
    #: `exact`, or `asymptotic` for large samples.
    method: str


def compare(x: Iterable[float], y: Iterable[float], *, compat: Optional[str] = None) -> Dict[str, Any]:
    """Every statistic of two samples, as `catherd stats` names them. `compat` follows the conventions of
    `scipy` or `r`.

    Raises CatherdError if the samples cannot be read.
    """
    question = json.dumps({"x": [float(one) for one in x], "y": [float(one) for one in y]})
    flags = [] if compat is None else ["--compat", compat]
    answer: Dict[str, Any] = json.loads(call(["stats", *flags], stdin=question + "\n", codes=(0, 2)))
    if "error" in answer:
        raise CatherdError(answer["error"], 2)
    return answer


def _value(answer: Dict[str, Any], name: str) -> Any:
    """A statistic, or an error with the reason why it is not available."""
    if answer.get(name) is None:
        reasons = answer.get("unavailable")
        reason = reasons.get(name) if isinstance(reasons, dict) else reasons
        raise ValueError(f"{name} is not available: {reason}")
    return answer[name]


def a12(x: Iterable[float], y: Iterable[float]) -> A12:
    """The effect size of two samples. Raises ValueError if it does not exist, as for an empty sample."""
    answer = compare(x, y)
    interval = answer.get("a12_ci")
    return A12(_value(answer, "a12"), None if interval is None else tuple(interval), answer.get("a12_magnitude"))


def mann_whitney(x: Iterable[float], y: Iterable[float], *, compat: Optional[str] = None) -> MannWhitney:
    """The U test of two samples. Raises ValueError if it does not exist, as for an empty sample."""
    answer = compare(x, y, compat=compat)
    return MannWhitney(_value(answer, "u1"), _value(answer, "p"), answer["method"])
