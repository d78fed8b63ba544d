#!/usr/bin/python3
"""Recompute the numbers of trials from their raw captures, independently of the suite's filters.

usage: recompute.py BUNDLE... > values.json

Output  [{"bundle", "trial", "engine", "workload", "setting", "metric", "value"}, ...] for each completed trial
CPU comes from the kernel's accounts at both ends of the window, percentiles from the HdrHistogram logs, decoded here.
"""
import base64
import csv
import json
import math
import pathlib
import struct
import sys
import zlib


def table(path):
    with open(path, newline="", encoding="utf8") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def varints(payload):
    """Decode LEB128 of at most nine bytes, then ZigZag: a count, or a negative number of empty cells."""
    at = 0
    while at < len(payload):
        value = shift = 0
        while True:
            byte = payload[at]
            at += 1
            value |= (byte if shift == 56 else byte & 0x7F) << shift
            if shift == 56 or byte < 0x80:
                break
            shift += 7
        yield (value >> 1) ^ -(value & 1)


def histogram(text):
    """Decode a compressed V2 histogram: counts by highest equivalent value."""
    outer = base64.b64decode(text)
    inner = zlib.decompress(outer[8:])
    _cookie, length, _offset, digits, lowest = struct.unpack(">iiiiq", inner[:24])
    unit = int(math.log2(max(1, lowest)))
    half = 2 ** math.ceil(math.log2(2 * 10**digits)) // 2
    counts, index = {}, 0
    for count in varints(inner[40:40 + length]):
        if count < 0:
            index -= count
            continue
        if count > 0:
            bucket, cell = max(0, index // half - 1), index % half + (half if index >= half else 0)
            shift = bucket + unit
            counts[(cell << shift) + (1 << shift) - 1] = counts.get((cell << shift) + (1 << shift) - 1, 0) + count
        index += 1
    return counts


def percentile(counts, share, missing):
    """By rank: the smallest value not exceeded by this share. Missing answers count as longer than all others."""
    answered = sum(counts.values())
    wanted = share * (answered + missing)
    rank = max(1, math.ceil(wanted - math.ulp(wanted)))
    if answered == 0 or rank > answered:
        return None
    seen = 0
    for value in sorted(counts):
        seen += counts[value]
        if seen >= rank:
            return value


def merged(path, since, until):
    first, counts = None, {}
    for line in open(path, encoding="utf8"):
        if line[0] in '#"' or line.startswith("Tag="):
            continue
        start, _length, _most, encoded = line.strip().split(",", 3)
        first = float(start) if first is None else first
        if since <= round(float(start) - first) < until:
            for value, count in histogram(encoded).items():
                counts[value] = counts.get(value, 0) + count
    return counts


def cpu_of(accounts, side):
    at = {"window_start": {}, "window_end": {}}
    for row in accounts:
        if row["mark"] in at and row["side"] == side and row["role"] != "recorder":
            at[row["mark"]][row["pid"]] = int(row["cpu_ns"])
    return sum(end - at["window_start"][pid] for pid, end in at["window_end"].items() if pid in at["window_start"]) / 1e9


def metrics(raw, since, until):
    accounts = table(raw / "accounts.tsv")
    seconds = [row for row in table(raw / "client/intervals.tsv") if since <= float(row["t_s"]) < until]
    received, due = (sum(int(row[name]) for row in seconds) for name in ("received", "due"))
    if received > 0:
        yield "server_cpu_s_per_1k", 1000 * cpu_of(accounts, "server") / received
        yield "client_cpu_s_per_1k", 1000 * cpu_of(accounts, "client") / received
    if due > 0:
        yield "answered_share", received / due
    window = json.loads((raw / "client/summary.json").read_text())["window"]
    never_sent = window.get("unsent_remote", 0)  # for the server had lost the connection: without an answer, and without a service time
    for series, missing in (("latency", window["missing"] + never_sent), ("service", window["missing"])):
        counts = merged(raw / f"client/{series}.hlog", since, until)
        for share in (0.5, 0.9, 0.99):
            value = percentile(counts, share, missing)
            if value is not None:
                yield f"{series}_p{round(100 * share)}_ms", value / 1000


found = []
for bundle in map(pathlib.Path, sys.argv[1:]):
    for trial in table(bundle / "plan.tsv"):
        folder = bundle / "trials" / trial["trial"]
        if not (folder / "status").exists() or not (folder / "status").read_text().startswith("done"):
            continue
        keys = {"bundle": str(bundle), **{name: trial[name] for name in ("trial", "engine", "workload", "setting")}}
        found += [{**keys, "metric": metric, "value": value} for metric, value in metrics(folder / "raw", float(trial["from_s"]), float(trial["to_s"]))]
json.dump(found, sys.stdout)
