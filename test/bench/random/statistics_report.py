"""The results of statistics.sh as a table, and as one JSON file.

usage: statistics_report.py FOLDER JSON-FILE GENERATOR... broken

Fails where a generator fails a test, or the broken one fails none of a suite that was run.
"""
import glob
import json
import os
import sys

HEAD = (
    f"{'':14} {'dieharder':>25}   {'SP 800-22':>18}   {'TestU01':>26}\n"
    f"{'generator':14} {'MiB':>8} {'passed':>6} {'weak':>4} {'fail':>4}   "
    f"{'MiB':>6} {'passed':>6} {'fail':>4}   {'MiB':>6} {'passed':>6} {'remark':>6} {'fail':>4}"
)


def dieharder(folder, name):
    lines = []
    size = 0
    for path in sorted(glob.glob(f"{folder}/{name}.dieharder.*")):
        if path.endswith(".count"):
            size += int(open(path, encoding="ascii").read())
        else:
            with open(path, encoding="ascii") as results:
                lines += [[cell.strip() for cell in line.split("|")] for line in results]
    verdicts = [line[-1] for line in lines]
    count = {verdict: verdicts.count(verdict) for verdict in ("PASSED", "WEAK", "FAILED")}
    return {"mib": size >> 20, **count, "results": lines}


def main():
    folder, path, *names = sys.argv[1:]
    whole = {}
    wrong = []
    print(HEAD)
    for name in names:
        die = dieharder(folder, name)
        nist = {"mib": 0, "tests": {}, "failed": 0}
        if os.path.exists(f"{folder}/{name}.sp80022"):
            nist = json.load(open(f"{folder}/{name}.sp80022", encoding="ascii"))
        crush = {
            path.rsplit(".", 1)[1]: json.load(open(path, encoding="ascii"))
            for path in sorted(glob.glob(f"{folder}/{name}.testu01.*"))
            if not path.endswith(".count")
        }
        whole[name] = {"dieharder": die, "sp80022": nist, "testu01": crush}
        total = {
            key: sum(battery[key] for battery in crush.values())
            for key in ("mib", "made", "remarked", "failed")
        }
        failed = [nist["failed"]] if nist["tests"] else []
        if die["results"]:
            failed.append(die["FAILED"])
        if crush:
            failed.append(total["failed"])
        print(
            f"{name:14} {die['mib']:8} {die['PASSED']:6} {die['WEAK']:4} {die['FAILED']:4}   "
            f"{nist['mib']:6} {len(nist['tests']) - nist['failed']:6} {nist['failed']:4}   "
            f"{total['mib']:6} {total['made'] - total['failed']:6} {total['remarked']:6} "
            f"{total['failed']:4}"
        )
        if any(failed) if name != "broken" else not all(failed):
            wrong.append(name)
    with open(path, "w", encoding="ascii") as out:
        json.dump(whole, out, indent=1)
    print(f"\nwritten to {path}")
    if wrong:
        sys.exit(f"not as it must be: {', '.join(wrong)}")


main()
