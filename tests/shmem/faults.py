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
    if done.returncode == code and told == 3 and took < 3:
        return True
    print(f"{how} in {where}: exit code {done.returncode} (not {code}?), {told} of 3 told, {took:.1f} s")
    print(done.stdout + done.stderr)
    return False


def out_of_memory(launcher, program):
    """An allocation that one PE has no private memory for fails on all, in the same call."""
    done = subprocess.run([launcher, "-n", "3", program, "poor"], capture_output=True, text=True, timeout=30)
    lines = done.stdout.splitlines()
    same = {line.split(" | ")[0] for line in lines}
    named = all("moac_shmem_malloc: PE 1 has no memory" in line for line in lines)
    if done.returncode == 77 or (done.returncode == 0 and len(lines) == 3 and len(same) == 1 and named):
        return True
    print("poor:", done.returncode, done.stdout + done.stderr)
    return False


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
    good = good and wrong.returncode == 2 and "usage" in wrong.stderr
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
