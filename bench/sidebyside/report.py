"""From measured seconds to a table, JSON and CSV.

Rates come from the median; `least` rates from the shortest batch, which other load on the machine disturbs less. Ratios are
medians of the ratios of one round, where both sides ran within moments of each other.
"""
import csv
import json
import statistics

RATIOS = ("x peer", "x ceiling", "x moac")


def quantile(values, q):
    values = sorted(values)
    at = q * (len(values) - 1)
    low = int(at)
    return values[low] + (values[min(low + 1, len(values) - 1)] - values[low]) * (at - low)


def paired(numerator, denominator):
    """Median over rounds of numerator / denominator, or nothing."""
    pairs = [a / b for a, b in zip(numerator, denominator) if b > 0]
    return statistics.median(pairs) if pairs else None


def summarize(case, job, report):
    """One row for each contestant, in the order in which they ran."""
    seconds = {label: entry["seconds"] for label, entry in report.items() if entry.get("seconds")}
    peers = [p["label"] for p in job["peers"]] + ["PyTorch"]
    peer = next((label for label in peers if label in seconds), None)
    first = job["kernels"][0]["label"]
    others = {k["label"] for k in job["kernels"][1:]}
    work = (job["read"] + job["written"]) if case.unit == "GB/s" else job["flops"]
    rows = []
    for label, entry in report.items():
        row = {"suite": case.suite, "case": case.label or case.kernel, "sizes": case.sizes, "threads": job["threads"],
               "contestant": label, "unit": case.unit, "error": entry.get("error"), "failed": entry.get("failed")}
        if label in seconds:
            s = seconds[label]
            row.update(p10=quantile(s, .1), p50=quantile(s, .5), p90=quantile(s, .9), least=min(s), rounds=len(s),
                       rate=work / quantile(s, .5) / 1e9, best=work / min(s) / 1e9)
            if peer and label != "ceiling":
                row["x peer"] = paired(seconds[peer], s)
            if "ceiling" in seconds and label != "ceiling":
                row["x ceiling"] = paired(seconds["ceiling"], s)
            if label in others and first in seconds:
                row["x moac"] = paired(seconds[first], s)
        rows.append(row)
    return rows


def time_text(seconds):
    for limit, scale, unit in ((1e-3, 1e6, "us"), (1, 1e3, "ms")):
        if seconds < limit:
            return f"{seconds * scale:.4g} {unit}"
    return f"{seconds:.4g} s"


def table_lines(case, rows):
    threads = rows[0]["threads"]
    yield f"{case.name()}, {threads} thread{'s' if threads > 1 else ''}"
    for row in rows:
        if row.get("failed"):
            yield f"  {row['contestant']:<12} FAILED: {row['failed'].splitlines()[0]}"
            continue
        ratios = "".join(f"{row[name]:>10.2f}" if row.get(name) else " " * 10 for name in RATIOS)
        yield (f"  {row['contestant']:<12}{time_text(row['p10']):>10}{time_text(row['p50']):>10}{time_text(row['p90']):>10}"
               f"{row['rate']:>9.2f}{row['best']:>9.2f} {row['unit']}{ratios}")


HEADING = (f"  {'':<12}{'p10':>10}{'p50':>10}{'p90':>10}{'rate':>9}{'best':>9}     {'x peer':>10}{'x ceiling':>10}{'x moac':>10}\n")


def write(folder, machine, rows):
    with open(f"{folder}/results.json", "w", encoding="utf-8") as out:
        json.dump({"machine": machine, "rows": rows}, out, indent=1)
    names = ["suite", "case", "sizes", "threads", "contestant", "unit", "p10", "p50", "p90", "least", "rate", "best",
             *RATIOS, "rounds", "error", "failed"]
    with open(f"{folder}/results.csv", "w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, names, extrasaction="ignore")
        writer.writeheader()
        for row in rows:
            writer.writerow({**row, "sizes": " ".join(f"{k}={v}" for k, v in row["sizes"].items())})


def summary(rows):
    """Worst and median ratio of each suite: what a reader looks for first."""
    lines, groups = [], {}
    for row in rows:
        if row["contestant"].startswith("moac"):
            groups.setdefault((row["suite"], row["threads"], row["contestant"]), []).append(row)
    for (suite, threads, who), members in groups.items():
        line = f"  {suite:<12}{threads:>2} thr  {who:<14}{len(members):>4} cases"
        for name in RATIOS:
            values = [m[name] for m in members if m.get(name)]
            if values:
                line += f"   {name} {statistics.median(values):.2f} (worst {min(values):.2f})"
        failed = sum(1 for m in members if m.get("failed"))
        lines.append(line + (f"   {failed} FAILED" if failed else ""))
    return lines
