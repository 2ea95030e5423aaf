#!/usr/bin/env python3
"""Counts what Swift Testing reported.

    tally.py counts FILE...    one line: passed failed skipped, of the tests in these event streams, each counted once
    tally.py skipped FILE...   a line for each test that was skipped in every one of them: its name and the reason
    tally.py failed FILE...    a line for each test that failed in any of them
    tally.py coverage FILE MODULE FLOOR   FILE is `llvm-cov export -summary-only`; fails under the floor (percent of lines)

A test passed if it passed in one run and failed in none: a test that is skipped without its rig runs in the step that has
the rig.
"""
import json
import re
import sys


def read(paths):
    names, outcomes, reasons, broken = {}, {}, {}, []
    for path in paths:
        started, ended, issues, finished = set(), set(), set(), False
        try:
            lines = open(path, encoding="utf-8").read().splitlines()
        except OSError:
            broken.append(path)
            continue
        for line in lines:
            try:
                record = json.loads(line)
            except ValueError:
                continue  # the last line of a run that crashed
            payload = record["payload"]
            if record["kind"] == "test":
                if payload["kind"] == "function":
                    names[payload["id"]] = payload.get("displayName") or payload["name"]
                continue
            kind, test = payload["kind"], payload.get("testID")
            if kind == "runEnded":
                finished = True
            if kind == "issueRecorded" and payload.get("issue", {}).get("isFailure", True):
                issues.add(test)
            if kind == "testSkipped" and test in names:
                outcomes.setdefault(test, set()).add("skipped")
                text = payload["messages"][0]["text"] if payload.get("messages") else ""
                reasons[test] = re.sub(r'^.*? skipped:? ?"?(.*?)"?$', r"\1", text) or "no reason given"
            if kind == "testStarted":
                started.add(test)
            if kind == "testEnded":
                ended.add(test)
        for test in started & set(names):
            bad = test in issues or test not in ended
            outcomes.setdefault(test, set()).add("failed" if bad else "passed")
        for test in issues - started:
            broken.append(f"{path}: an issue outside any test")
        if not finished:
            broken.append(f"{path}: the run did not end")
    return names, outcomes, reasons, broken


def verdict(outcome):
    return "failed" if "failed" in outcome else "passed" if "passed" in outcome else "skipped"


def main():
    command, paths = sys.argv[1], sys.argv[2:]
    if command == "coverage":
        file, module, floor = paths
        covered = total = 0
        worst = []
        for entry in json.load(open(file))["data"][0]["files"]:
            if f"/Sources/{module}/" in entry["filename"]:
                lines = entry["summary"]["lines"]
                covered, total = covered + lines["covered"], total + lines["count"]
                worst.append((lines["count"] - lines["covered"], lines["percent"], entry["filename"].split("/Sources/")[1]))
        if not total:
            print(f"no line of {module} in the coverage data")
            return 1
        for missed, percent, name in sorted(worst, reverse=True)[:12]:
            if missed:
                print(f"{missed:5} lines not covered ({percent:.0f} %): {name}")
        share = 100 * covered / total
        print(f"{module}: {share:.1f} % of {total} lines (floor {floor} %)")
        return 0 if share >= float(floor) else 1
    names, outcomes, reasons, broken = read(paths)
    if command == "counts":
        results = [verdict(outcome) for outcome in outcomes.values()]
        print(results.count("passed"), results.count("failed"), results.count("skipped"))
        return 1 if broken else 0
    for test, outcome in sorted(outcomes.items()):
        if verdict(outcome) == command:
            print(f"{test.split('.')[0]}: {names[test]}" + (f" ({reasons[test]})" if command == "skipped" else ""))
    if command == "failed":
        for line in broken:
            print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
