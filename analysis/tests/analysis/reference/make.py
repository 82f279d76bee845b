"""Writes samples and their statistics, computed with SciPy, to scipy.jsonl next to this script.

    python make.py && Rscript make.R

Needs SciPy 1.17. Statistics missing from SciPy are computed from their definitions: exact p-values with ties by
counting in integers, Conover's comparison from Student's t distribution, and Nemenyi's comparison from the
distribution of the studentised range.
"""

import itertools
import json
import math
import pathlib
import random
from collections import Counter
from fractions import Fraction

import numpy as np
from scipy import stats

draw = random.Random(20)


def sample(size):
    """Returns coverages with ties, small integers, or numbers without ties."""
    kind = draw.randrange(3)
    if kind == 0:
        return [min(1.0, round(draw.gauss(0.9, 0.2), 2)) for _ in range(size)]
    if kind == 1:
        return [float(draw.randint(-3, 3)) for _ in range(size)]
    return [round(draw.gauss(0.0, 1.0), 6) for _ in range(size)]


def share(ways, is_far):
    """Returns the share of outcomes that are far. `ways` counts outcomes by statistic."""
    far = sum(count for value, count in ways.items() if is_far(value))
    return float(Fraction(far, sum(ways.values())))


def exact_mann_whitney(x, y):
    """Returns P(|U - mean| >= observed |U - mean|) over all assignments of the pooled values."""
    groups = sorted(Counter(x + y).items())
    below, ways = 0, {(0, 0): 1}
    for _, size in groups:
        following = Counter()
        for (chosen, doubled), count in ways.items():
            for more in range(size + 1):
                others = below - chosen
                step = more * (2 * others + size - more)
                following[chosen + more, doubled + step] += count * math.comb(size, more)
        below, ways = below + size, following
    pairs = len(x) * len(y)
    observed = sum((a > b) * 2 + (a == b) for a in x for b in y)
    of_size = {doubled: count for (chosen, doubled), count in ways.items() if chosen == len(x)}
    return share(of_size, lambda doubled: abs(doubled - pairs) >= abs(observed - pairs))


def exact_signed_rank(x, y):
    """Returns min(1, 2 P(rank sum <= smaller rank sum)) over all signs of the nonzero differences."""
    differences = [a - b for a, b in zip(x, y) if a != b]
    ranks = [round(2 * rank) for rank in stats.rankdata(np.abs(differences))]
    ways = Counter({0: 1})
    for rank in ranks:
        following = Counter()
        for total, count in ways.items():
            following[total] += count
            following[total + rank] += count
        ways = following
    positive = sum(rank for rank, difference in zip(ranks, differences) if difference > 0)
    smaller = min(positive, sum(ranks) - positive)
    return min(1.0, 2 * share(ways, lambda total: total <= smaller))


def two_samples(x, y):
    u1, asymptotic = stats.mannwhitneyu(x, y, method="asymptotic")
    case = {
        "x": x, "y": y, "u1": u1, "a12": u1 / (len(x) * len(y)), "p_exact": exact_mann_whitney(x, y),
        "p_asymptotic": None if math.isnan(asymptotic) else asymptotic,
    }
    if len(x) > 1:
        case["describe"] = [np.mean(x), np.std(x, ddof=1), np.min(x), *np.quantile(x, [0.25, 0.5, 0.75]), np.max(x)]
    if len(x) != len(y):
        return case
    if any(a != b for a, b in zip(x, y)):
        statistic, p = stats.wilcoxon(x, y, method="asymptotic")
        case["wilcoxon"] = [statistic, p, exact_signed_rank(x, y)]
    if len(x) > 2 and len(set(x)) > 1 and len(set(y)) > 1:
        case["pearson"] = list(stats.pearsonr(x, y))
        case["spearman"] = list(stats.spearmanr(x, y))
        line = stats.linregress(x, y)
        case["line"] = [line.slope, line.intercept, line.stderr, line.intercept_stderr]
    return case


def many_samples(blocks):
    columns = list(zip(*blocks))
    treatments, count = len(columns), len(blocks)
    ranks = np.array([stats.rankdata(block) for block in blocks])
    sums = ranks.sum(axis=0)
    unit = math.sqrt(treatments * (treatments + 1) / (12 * count))
    freedom = (count - 1) * (treatments - 1)
    error = math.sqrt(2 * (count * (ranks ** 2).sum() - (sums ** 2).sum()) / freedom)
    pairs = list(itertools.combinations(range(treatments), 2))
    return {
        "blocks": blocks,
        "friedman": list(stats.friedmanchisquare(*columns)) if treatments > 2 else None,
        "kruskal": list(stats.kruskal(*columns)),
        "nemenyi": [stats.studentized_range.sf(abs(sums[a] - sums[b]) / count / unit, treatments, np.inf)
                    for a, b in pairs],
        "critical_difference": stats.studentized_range.ppf(0.95, treatments, np.inf) * unit,
        "conover": [2 * stats.t.sf(abs(sums[a] - sums[b]) / error, freedom) for a, b in pairs],
    }


def p_values(p):
    return {"p": p, "benjamini_hochberg": list(stats.false_discovery_control(p))}


def table(cells):
    fisher = stats.fisher_exact(cells)
    (ones, zeros), _ = cells
    wilson = stats.binomtest(ones, ones + zeros).proportion_ci(0.95, method="wilson")
    return {"table": cells, "fisher": fisher.pvalue, "odds_ratio": fisher.statistic, "wilson": list(wilson)}


def survival(a, b):
    """The samples consist of [time, whether the event was observed]."""
    def censored(observations):
        return stats.CensoredData(uncensored=[time for time, event in observations if event],
                                  right=[time for time, event in observations if not event])

    curve = stats.ecdf(censored(a)).sf
    events = sorted({time for time, event in a if event})
    test = stats.logrank(censored(a), censored(b))
    return {"survival": [a, b], "steps": [[time, curve.evaluate(time)] for time in events],
            "log_rank": [test.statistic ** 2, test.pvalue]}


def bootstrap(x):
    interval = stats.bootstrap((x,), np.mean, n_resamples=50_000, method="percentile", rng=1).confidence_interval
    return {"bootstrap": x, "interval": list(interval)}


def cases():
    for number in range(120):
        sizes = (20, 20) if number % 4 == 0 else (draw.randint(1, 12),) * 2 if number % 4 == 1 else \
            (draw.randint(1, 12), draw.randint(1, 12))
        yield two_samples(*map(sample, sizes))
    for _ in range(30):
        treatments, count = draw.randint(2, 6), draw.randint(4, 20)
        rounded = draw.randint(0, 3)
        yield many_samples([[round(draw.gauss(column / 3, 1.0), rounded) for column in range(treatments)]
                            for _ in range(count)])
    for _ in range(20):
        yield p_values([round(draw.random() ** 3, 5) for _ in range(draw.randint(1, 15))])
    for _ in range(30):
        yield table([[draw.randint(1, 40) for _ in range(2)] for _ in range(2)])
    for _ in range(20):
        def observations():
            return [[float(draw.randint(1, 30)), draw.random() < 0.7] for _ in range(draw.randint(5, 25))]
        yield survival(observations(), observations())
    for _ in range(5):
        yield bootstrap(sample(20))


with open(pathlib.Path(__file__).parent / "scipy.jsonl", "w", encoding="utf-8") as file:
    for case in cases():
        values = {key: value for key, value in case.items() if value is not None}
        file.write(json.dumps(values, default=float) + "\n")
