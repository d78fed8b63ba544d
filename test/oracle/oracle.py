#!/usr/bin/python3
"""The oracle: computes every interval, fit and decision again with scipy, by other means than the suite's.

usage: oracle.py < question.json > answer.json

question  {"groups": [[value, ...], ...], "levels": [of each group's interval, ...], "fits": [{"law", "rows": [[x, y, u, value, block], ...]}, ...],
           "rows": [{"n", "mean", "low", "high", "scale", "degrees", "bound"}, ...], "families": [[p, ...], ...], "samples": [[value, ...], ...],
           "shares": [{"count", "n", "bound"}, ...], "priors": [[[variance, degrees], ...], ...],
           "runs": [[{"mean", "error"}, ...], ...]}
answer    the same keys. groups: mean, low and high; fits: each parameter's value, standard error, low and high;
          rows: the two-sided p at the bound; families: Holm's adjusted p; samples: the normal score of each value;
          shares: the probability of `count` or more; priors: degrees of freedom and variance of the prior;
          runs: their mean, the standard deviations within and between them, and the prediction interval of a new one
"""
import json
import sys

import numpy as np
from scipy import optimize, special, stats


def interval(values, level):
    """Student's interval by scipy, of the logarithms if all values are above 0."""
    x = np.array(values, dtype=float)
    is_log = bool((x > 0).all())
    y = np.log(x) if is_log else x
    back = np.exp if is_log else (lambda z: z)
    if len(y) < 3:
        return {"mean": float(back(y.mean())), "low": None, "high": None}
    error = stats.sem(y)
    low, high = stats.t.interval(level, len(y) - 1, loc=y.mean(), scale=error) if error > 0 else (y.mean(), y.mean())
    return {"mean": float(back(y.mean())), "low": float(back(low)), "high": float(back(high))}


LAWS = {
    "linear": (["slope", "base"], lambda p, x, y, u, block: np.where(x == 0, p[1], p[0] * p[1] * x), lambda v, x: [0.4, v[x == 0].mean()]),
    "amdahl": (["lambda", "p"], lambda p, x, y, u, block: p[0] / (1 - p[1] + p[1] / x), lambda v, x: [v[x == x.min()].mean(), 0.8]),
    "gustafson": (["lambda", "a"], lambda p, x, y, u, block: p[0] * (x - p[1] * (x - 1)), lambda v, x: [v[x == x.min()].mean(), 0.2]),
    "usl": (["lambda", "sigma", "kappa"], lambda p, x, y, u, block: p[0] * x / (1 + p[1] * (x - 1) + p[2] * x * (x - 1)),
            lambda v, x: [v[x == x.min()].mean(), 0.1, 0.01]),
    "elasticity": (["period", "connections", "size", "level of 1", "level of 2"],
                   lambda p, x, y, u, block: np.exp(p[0] * x + p[1] * y + p[2] * u + np.where(block == 1, p[3], p[4])), lambda v, x: [1, 1, 0, 0, 0]),
}


def fit(question):
    names, law, begin = LAWS[question["law"]]
    x, y, u, value, *block = np.array(question["rows"], dtype=float).T
    found, covariance = optimize.curve_fit(lambda _x, *p: np.log(law(p, x, y, u, *(block or [None]))), x, np.log(value), p0=begin(value, x), method="trf", jac="3-point", x_scale="jac", max_nfev=100000,
                                           ftol=1e-14, xtol=1e-14, gtol=1e-14)
    half = stats.t.ppf(0.975, len(value) - len(names)) * np.sqrt(np.diag(covariance))
    return {name: {"value": f, "se": s, "low": f - h, "high": f + h}
            for name, f, s, h in zip(names, map(float, found), map(float, np.sqrt(np.diag(covariance))), map(float, half)) if not name.startswith("level")}


def probability(row):
    scaled = np.log if row["scale"] == "log" else float
    error = (scaled(row["high"]) - scaled(row["low"])) / 2 / stats.t.ppf(0.975, row["degrees"])
    return float(2 * stats.t.sf(abs(scaled(row["mean"]) - scaled(row["bound"])) / error, row["degrees"]))


def share(row):
    return float(stats.binom.sf(row["count"] - 1, row["n"], row["bound"]))


def holm(ps):
    order = np.argsort(ps, kind="stable")
    adjusted = np.maximum.accumulate(np.array(ps)[order] * np.arange(len(ps), 0, -1))
    answer = np.empty(len(ps))
    answer[order] = np.minimum(adjusted, 1)
    return answer.tolist()


def predict(runs):
    """The spread by differences of all pairs, not by the variance; the prediction by Fisher's F, not by Student's t."""
    y, error = (np.array([run[key] for run in runs], dtype=float) for key in ("mean", "error"))
    k, within = len(y), float(error @ error) / len(y)
    total = float(np.sum(np.subtract.outer(y, y) ** 2)) / (2 * k * (k - 1))
    between = max(0.0, total - within)
    half = np.sqrt(stats.f.ppf(0.95, 1, k - 1) * total * (k + 1) / k)
    return {"mean": float(y.mean()), "sd": total ** 0.5, "within": within ** 0.5, "between": between ** 0.5, "low": float(y.mean() - half), "high": float(y.mean() + half)}


def scores(values):
    """A squared studentised residual over n - 1 has a beta distribution, so this uses scipy's beta, not Student's t."""
    x = np.array(values, dtype=float)
    residual = (x - x.mean()) / x.std()  # x.std() divides by n, not n - 1
    within = stats.beta.cdf(residual ** 2 / (len(x) - 1), 0.5, (len(x) - 2) / 2)
    return (np.sign(residual) * stats.norm.ppf((1 + within) / 2)).tolist()


def prior(groups):
    """Smyth's moments of the logarithms of variances, which are scaled F; their mean if they differ by chance alone."""
    variance, degrees = np.array(groups, dtype=float).T
    e = np.log(variance) - special.digamma(degrees / 2) + np.log(degrees / 2)
    left = e.var(ddof=1) - special.polygamma(1, degrees / 2).mean()
    if left <= 0:
        return {"degrees": 1e6, "variance": float(np.average(variance, weights=degrees))}
    half = optimize.brentq(lambda x: special.polygamma(1, x) - left, 1e-4, 1e8, xtol=1e-14)
    return {"degrees": 2 * half, "variance": float(np.exp(e.mean() + special.digamma(half) - np.log(half)))}


ask = json.load(sys.stdin)
json.dump({
    "groups": [interval(values, level) for values, level in zip(ask.get("groups", []), ask.get("levels", []))],
    "fits": [fit(question) for question in ask.get("fits", [])],
    "rows": [probability(row) for row in ask.get("rows", [])],
    "families": [holm(ps) for ps in ask.get("families", [])],
    "samples": [scores(values) for values in ask.get("samples", [])],
    "shares": [share(row) for row in ask.get("shares", [])],
    "priors": [prior(groups) for groups in ask.get("priors", [])],
    "runs": [predict(runs) for runs in ask.get("runs", [])],
}, sys.stdout)
