"""Kill a PE in several ways and places; the others must be told in time, the job must end, nothing may stay behind.

    faults.py LAUNCHER FAULT_PROGRAM
"""
import os
import signal
import subprocess
import sys
import time

CASES = [  # how PE 1 ends, where the others wait, exit code of the job, what the others are told
    ("kill", "barrier", 137, "a PE failed"),
    ("segv", "signal", 139, "a PE failed"),
    ("exit", "reduce", 3, "a PE failed"),
    ("exit", "lock", 3, "a PE failed"),
    ("kill", "put", 137, "a PE failed"),
    ("stay", "signal", 7, "a PE called global_exit"),
    ("absent", "barrier", 0, "a PE failed"),
]
CALLS = {"barrier": "moac_shmem_barrier: PE 1 died", "signal": "moac_shmem_signal_wait_until: PE 1 died", "reduce": "moac_shmem_reduce: PE 1 died",
         "lock": "moac_shmem_lock: PE 1 died", "put": "moac_shmem_put: PE 1 died"}
POOR = [  # what PE 1 has no memory for, what it is answered, what the others are told
    ("poor", "moac_shmem_malloc: PE 1 has no memory", "moac_shmem_malloc: PE 1 has no memory"),
    ("cramped", "moac_shmem_reduce_scatter: no scratch", "rank 1 of the team called something else or gave up"),
    ("barred", "mapping ", "moac_shmem_init: PE 1 could not join"),
]
WRONG = [  # command lines that are refused, and what is said
    (["-n", "2", "--engine", "tin"], "--engine wants"),
    (["-n", "2", "--hosts", "here"], "--hosts wants an engine"),
    (["-n", "2", "--engine", "mpi", "--chaos", "3"], "--chaos is"),
]


def left_behind():
    return sorted(f for f in os.listdir("/dev/shm") if "moac" in f)


def run(launcher, program, how, where, code, text):
    start = time.monotonic()
    done = subprocess.run([launcher, "-n", "4", program, how, where], capture_output=True, text=True, timeout=30)
    took, told = time.monotonic() - start, done.stdout.count(f"told: {text}, in time")
    named = [CALLS[where] in line or "global_exit" in text or how == "absent" for line in done.stdout.splitlines()]
    if done.returncode == code and told == 3 and took < 3 and all(named):
        return True
    print(f"{how} in {where}: exit code {done.returncode} (not {code}?), {told} of 3 told, {took:.1f} s")
    print(done.stdout + done.stderr)
    return False


def out_of_memory(launcher, program):
    """PE 1 has no private memory, for its list of objects or for a call's scratch, or cannot join: nobody waits for it."""
    good = True
    for how, alone, told in POOR:
        done = subprocess.run([launcher, "-n", "3", program, how], capture_output=True, text=True, timeout=30)
        lines = sorted(done.stdout.splitlines())
        fits = len(lines) == 3 and lines[0].startswith("alone") and alone in lines[0] and all(
            line.startswith("told") and told in line and ", in time" in line for line in lines[1:])
        counts = {line.split()[2] for line in lines}
        if done.returncode != 77 and (not fits or len(counts) != 1):
            print(f"{how}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
            good = False
    return good


def launcher_killed(launcher, program):
    """PEs do not outlive their launcher."""
    job = subprocess.Popen([launcher, "-n", "2", "sleep", "1000"])
    time.sleep(0.2)
    children = subprocess.run(["pgrep", "-P", str(job.pid)], capture_output=True, text=True).stdout.split()
    job.send_signal(signal.SIGKILL)
    job.wait()
    time.sleep(0.2)
    alive = [c for c in children if os.path.exists(f"/proc/{c}") and "Z" not in open(f"/proc/{c}/stat").read().split()[2]]
    if len(children) != 2 or alive:
        print(f"after the launcher died: children {children}, alive {alive}")
    return len(children) == 2 and not alive


def main(launcher, program):
    before = left_behind()
    good = all([run(launcher, program, *case) for case in CASES])
    good = out_of_memory(launcher, program) and good
    good = launcher_killed(launcher, program) and good
    wrong = subprocess.run([launcher, "-n", "0", program], capture_output=True, text=True)
    good = good and wrong.returncode == 2 and "  moac launch -n 0 " in wrong.stderr and "\n              ^\n" in wrong.stderr
    for words, text in WRONG:
        refused = subprocess.run([launcher, *words, program], capture_output=True, text=True)
        good = good and refused.returncode == 2 and text in refused.stderr
    missing = subprocess.run([launcher, "-n", "2", "./no-such-program"], capture_output=True, text=True)
    good = good and missing.returncode == 127 and "cannot run" in missing.stderr
    if left_behind() != before:
        print(f"left in /dev/shm: {left_behind()}")
        good = False
    sys.exit(0 if good else 1)


main(*sys.argv[1:])
