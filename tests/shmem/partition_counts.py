"""Messages and bytes of a divided kernel: what `moac cost` counts is what a trace of the run shows, idle PEs included.

    partition_counts.py MOAC LAUNCHER PARTITIONED.MOA EXAMPLE-PARTITIONED
"""
import json
import os
import re
import subprocess
import sys
import tempfile

LOOKED_AT = {1: [0], 2: [1], 5: [0, 4], 17: [0, 16]}  # PEs, and whose counts are compared; of 17 the first has nothing
SIZES = "N=24,D=16,M=200,E=8"  # those of examples/shmem/partitioned.c


def counted(moac, source, pe, pes):
    command = [moac, "cost", source, "--kernel", "attention_keys", "--json", "--size", f"{SIZES},pe={pe},pes={pes}"]
    answer = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    sent = (answer[0] if isinstance(answer, list) else answer)["sent"]
    arrays = [part for part in sent.values() if isinstance(part, dict) and "messages" in part]
    return tuple(sum(part[what]["value"] for part in arrays) for what in ("messages", "bytes"))


def performed(folder, pe):
    with open(os.path.join(folder, f"pe-{pe:04}.moat"), encoding="utf-8") as trace:
        puts = [int(found.group(1)) for found in re.finditer(r"^put .* dst=\S*\+(\d+) ", trace.read(), re.M)]
    return len(puts), sum(puts)


def main(moac, launcher, source, program):
    good = True
    for pes, looked_at in LOOKED_AT.items():
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([launcher, "-n", str(pes), "--trace", folder, program], check=True, stdout=subprocess.DEVNULL)
            for pe in looked_at:
                expected, found = counted(moac, source, pe, pes), performed(folder, pe)
                if expected != found:
                    print(f"PE {pe} of {pes}: counted {expected} messages and bytes, sent {found}")
                    good = False
    sys.exit(0 if good else 1)


main(*sys.argv[1:])
