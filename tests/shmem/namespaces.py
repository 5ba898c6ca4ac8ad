"""Run a program over TCP: two network namespaces of this machine, joined by a pair of virtual interfaces, stand for two hosts.

    namespaces.py LAUNCHER ENGINE PES PROGRAM [ARGUMENT...]

PEs go to the two hosts in turn. Shared memory between them is switched off, so every byte crosses the pair. Exit code 77
(skipped) where this user may not make namespaces.
"""
import os
import subprocess
import sys
import tempfile
import time

LINK = "moac0"  # both ends of the pair have this name, each in its namespace
SETTINGS = {  # what makes an engine use nothing but TCP, and of that nothing but the pair
    "oshmem": {"UCX_TLS": "tcp,self", "UCX_NET_DEVICES": LINK},
    "mpi": {"OMPI_MCA_btl": "tcp,self", "OMPI_MCA_pml": "ob1", "OMPI_MCA_btl_tcp_if_include": LINK},
}
AGENT = """#!/bin/sh
# Called by mpirun with a host and a command: the second namespace, under a host name of its own.
shift
exec ip netns exec {name} unshare --uts sh -c "hostname moac-b; exec $*"
"""


def ip(*words):
    return subprocess.run(["ip", *words], capture_output=True, text=True).returncode == 0


def carries(name):
    """The interface is up and knows it, which takes a moment; before that an engine would not use it."""
    for _ in range(100):
        shown = subprocess.run(["ip", "-n", name, "-brief", "link", "show", LINK], capture_output=True, text=True).stdout
        if " UP " in shown and "LOWER_UP" in shown:
            return True
        time.sleep(0.05)
    return False


class Hosts:
    """Two namespaces, gone again at the end whatever happens in between."""

    def __enter__(self):
        tag = os.getpid() % 100000
        self.names = [f"moac-a{tag}", f"moac-b{tag}"]
        self.addresses = [f"10.{tag % 200 + 20}.77.{i}" for i in (1, 2)]
        good = all([ip("netns", "add", name) for name in self.names])
        good = good and ip("link", "add", LINK, "netns", self.names[0], "type", "veth", "peer", "name", LINK, "netns", self.names[1])
        for name, address in zip(self.names, self.addresses):
            good = good and ip("-n", name, "addr", "add", address + "/24", "dev", LINK)
            good = good and ip("-n", name, "link", "set", "lo", "up") and ip("-n", name, "link", "set", LINK, "up")
        self.good = good and all([carries(name) for name in self.names])
        return self

    def __exit__(self, *_):
        for name in self.names:
            ip("netns", "del", name)


def main(launcher, engine, pes, *program):
    with Hosts() as hosts, tempfile.TemporaryDirectory() as folder:
        if not hosts.good:
            print("cannot make network namespaces: skipped")
            return 77
        agent = os.path.join(folder, "agent")
        with open(agent, "w") as file:
            file.write(AGENT.format(name=hosts.names[1]))
        os.chmod(agent, 0o700)
        environment = dict(os.environ, OMPI_MCA_plm_rsh_agent=agent, OMPI_MCA_oob_tcp_if_include=LINK, **SETTINGS[engine])
        where = ",".join(f"{address}:{(int(pes) + 1 - i) // 2}" for i, address in enumerate(hosts.addresses))
        command = ["ip", "netns", "exec", hosts.names[0], launcher, "-n", pes, "--heap", "16M", "--engine", engine,
                   "--hosts", where, *program]
        return subprocess.run(command, env=environment).returncode


sys.exit(main(*sys.argv[1:]))
