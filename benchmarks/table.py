#!/usr/bin/env python3
"""Reads benchmark results, one JSON object per line, from standard input; prints them as a table as they arrive."""
import argparse
import json
import sys


def text(value):
    for limit, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= limit:
            return f"{value / limit:.3g}{unit}"
    return f"{value:.3g}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", metavar="FILE", help="write the results as one array")
    arguments = parser.parse_args()
    print(f"{'benchmark':<28}{'ours':>10}{'peer':>10}{'ratio':>9}  {'goal':<9}{'':<8}peer is")
    results = []
    for line in sys.stdin:
        if not line.startswith("{"):
            print(line, end="", file=sys.stderr)
            continue
        result = json.loads(line)
        results.append(result)
        sign = ">=" if result["better"] == "higher" else "<="
        verdict = "ok" if result["ok"] else "missed"
        print(f"{result['name']:<28}{text(result['ours']):>10}{text(result['peer']):>10}{result['ratio']:>9.3g}  "
              f"{sign + format(result['goal'], 'g'):<9}{verdict:<8}{result['peer_name']}", flush=True)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
