#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""bench-hosts.py VGPUCTL [HOSTS]: what it costs to ask many hosts at once.

Each host is a libvirtd of its own, with libvirt's test driver, and a socket in a scratch directory.
They run as an unprivileged user and load no driver, so that nothing of this machine is touched.
Where libvirtd is not installed, Debian's package is fetched and unpacked into that directory.
"""
import glob
import os
import pwd
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

VGPUCTL = os.path.abspath(sys.argv[1])
HOSTS = int(sys.argv[2]) if len(sys.argv) > 2 else 50
GPUS, VGPUS = 4, 8  # of each host; of each GPU, each with a running guest
SLOW, TIMEOUT = 1.0, 3  # seconds
ROUNDS = 5
COMMANDS = {
    "where": ["where", "--type", "T4-1B"],
    "status": ["status"],
    "types": ["types"],
}

GPU = """<device><name>pci_0000_{bus:02x}_00_0</name>
<path>/sys/devices/pci0000:00/0000:{bus:02x}:00.0</path><parent>computer</parent>
<capability type='pci'><domain>0</domain><bus>{bus}</bus><slot>0</slot><function>0</function>
<product id='0x1eb8'>TU104GL [Tesla T4]</product><vendor id='0x10de'>NVIDIA Corporation</vendor>
<capability type='mdev_types'>{types}</capability><numa node='0'/></capability></device>
"""
TYPE = """<type id='nvidia-{id}'><name>GRID T4-{name}</name><deviceAPI>vfio-pci</deviceAPI>
<availableInstances>{left}</availableInstances></type>
"""
VGPU = """<device><name>mdev_{word}</name>
<path>/sys/devices/pci0000:00/0000:{bus:02x}:00.0/{uuid}</path>
<parent>pci_0000_{bus:02x}_00_0</parent>
<capability type='mdev'><type id='nvidia-222'/><uuid>{uuid}</uuid><iommuGroup number='1'/></capability>
</device>
<domain type='test'><name>guest{number}</name><uuid>{guest}</uuid><metadata>
<vgpu:request xmlns:vgpu="urn:libvirt-vgpu:domain:1"><vgpu:device alias="ua-gpu0" type="T4-1B"/>
</vgpu:request></metadata><memory>65536</memory><os><type>hvm</type></os><devices>
<hostdev mode='subsystem' type='mdev' model='vfio-pci'><source><address uuid='{uuid}'/></source>
<alias name='ua-gpu0'/></hostdev></devices></domain>
"""
CONFIGURATION = """unix_sock_dir = "{place}"
auth_unix_ro = "none"
auth_unix_rw = "none"
log_filters = "{level}:rpc.netserverclient 4:*"
log_outputs = "2:file:{place}/log"
"""


def machine(number):
    """What one host has, as libvirt's test driver reads it; another number, other room."""
    text = [
        "<node><device><name>computer</name><capability type='system'><hardware><uuid>"
        f"bbbbbbbb-0000-4000-8000-{number:012}</uuid></hardware></capability></device>\n"
    ]
    for gpu in range(GPUS):
        bus = 16 + gpu
        names = {222: "1B", 223: "2B", 230: "1Q", 231: "2Q", 232: "4Q", 233: "8Q", 234: "16Q"}
        left = (number + gpu) % VGPUS
        types = [TYPE.format(id=i, name=n, left=left if i == 222 else 0) for i, n in names.items()]
        text.append(GPU.format(bus=bus, types="".join(types)))
        for vgpu in range(VGPUS):
            at = gpu * VGPUS + vgpu
            uuid = f"dddddddd-0000-4000-8000-{number:04}{at:08}"
            guest = f"aaaaaaaa-0000-4000-8000-{number:04}{at:08}"
            text.append(VGPU.format(bus=bus, uuid=uuid, word=uuid.replace("-", "_"), guest=guest, number=at))
    return "".join(text) + "</node>\n"


def find_libvirtd(scratch):
    found = shutil.which("libvirtd", path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    if found:
        return found
    print("(no libvirtd is installed: Debian's is fetched, and not installed)")
    where = os.path.join(scratch, "package")
    os.mkdir(where)
    subprocess.run(["apt-get", "download", "-q", "libvirt-daemon"], cwd=where, check=True, capture_output=True)
    subprocess.run(["dpkg", "-x", *glob.glob(where + "/*.deb"), where], check=True)
    return where + "/usr/sbin/libvirtd"


class Host:
    """One libvirtd."""

    def __init__(self, scratch, libvirtd, number):
        self.place = f"{scratch}/{number:02}"
        self.socket = self.place + "/libvirt-sock"
        self.uri = f"test+unix://{self.place}/machine.xml?socket={self.socket}"
        os.mkdir(self.place)
        # All hosts get the same calls, and logging takes time. So only one host logs its calls.
        configuration = CONFIGURATION.format(place=self.place, level=2 if number == 0 else 4)
        files = {"machine.xml": machine(number), "configuration": configuration}
        for name, text in files.items():
            with open(f"{self.place}/{name}", "w") as file:
                file.write(text)
        who = {}
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            os.chown(self.place, nobody.pw_uid, nobody.pw_gid)
            who = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        environment = {"PATH": os.environ["PATH"], "LIBVIRT_DRIVER_DIR": scratch + "/no-drivers"}
        environment.update((name, self.place) for name in ("HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"))
        # The daemon ends by itself if nobody ends it.
        command = [libvirtd, "--config", self.place + "/configuration", "--pid-file", self.place + "/pid",
                   "--timeout", "600"]
        self.process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, **who)

    def wait(self):
        """Until it takes connections."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self.process.poll() is None:
            with socket.socket(socket.AF_UNIX) as client:
                if client.connect_ex(self.socket) == 0:
                    return
            time.sleep(0.05)
        subprocess.run(["tail", self.place + "/log"])
        sys.exit("bench-hosts.py: a libvirtd does not start")

    def stop(self):
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.process.send_signal(signal.SIGCONT)

    def traffic(self):
        """Connections, calls and bytes since the last time, by its own log."""
        with open(self.place + "/log") as file:
            log = file.read()
        os.truncate(self.place + "/log", 0)
        lengths = [int(n) for n in re.findall(r"RPC_SERVER_CLIENT_MSG_(?:RX|TX_QUEUE): .*? len=(\d+)", log)]
        return log.count("RPC_SERVER_CLIENT_NEW:"), log.count("CLIENT_MSG_RX:"), sum(lengths)


def run(command, uris, timeout=30, watch=None):
    """Asks them; seconds, seconds of the processors, exit status, what was printed, of all processes."""
    with open(SCRATCH + "/hosts", "w") as file:
        file.write("\n".join(uris) + "\n")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    process = subprocess.Popen([VGPUCTL, *COMMANDS[command], "--hosts", SCRATCH + "/hosts", "--timeout", str(timeout)],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    watcher = threading.Thread(target=watch, args=(process,)) if watch else None
    if watcher:
        watcher.start()
    out, faults = process.communicate()
    took = time.monotonic() - began
    if watcher:
        watcher.join()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return took, cpu, process.returncode, out, faults


def expect(command, result, answered, reasons=()):
    """Every host that is up was shown, every other was named: else the figures say nothing."""
    _, _, status, out, faults = result
    shown = {
        "where": lambda: len(re.findall(r"^\S+ +(?:yes|no) ", out, re.M)),
        "status": lambda: out.count("== "),
        "types": lambda: len({line.split()[0] for line in out.splitlines()[1:]}),
    }[command]()
    failed = 0 if command == "where" or not reasons else 1
    if shown != answered or status != failed or any(reason not in out + faults for reason in reasons):
        sys.exit(f"{out}{faults}bench-hosts.py: {command}: {shown} hosts of {answered}, exit status {status}")


def best(command, uris):
    results = [run(command, uris) for _ in range(ROUNDS)]
    for result in results:
        expect(command, result, len(uris))
    return min(results, key=lambda result: result[0])


def descendants(pid):
    """A process and all below it."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            children = file.read().split()
    except OSError:
        return []
    return [pid] + [each for child in children for each in descendants(int(child))]


def memory(command, hosts, uris):
    """What all processes have, in MiB, while they wait for all hosts, and how many they are."""
    sizes = []

    def watch(process):
        while len(descendants(process.pid)) < len(uris) + 1 and process.poll() is None:
            time.sleep(0.05)
        time.sleep(1)
        for pid in descendants(process.pid):
            try:
                with open(f"/proc/{pid}/smaps_rollup") as file:
                    sizes.append(int(re.search(r"^Pss: +(\d+)", file.read(), re.M).group(1)))
            except OSError:
                pass  # It has ended: this machine may have no libvirt of its own.
        for host in hosts:
            host.go_on()

    for host in hosts:
        host.stop()
    expect(command, run(command, uris, watch=watch), len(uris))
    return sum(sizes) / 1024, len(sizes)


def line(what, figures):
    print(f"  {what:58}" + "".join(f"{figure:>10}" for figure in figures))


def measure(hosts, uris):
    print(f"{len(hosts)} hosts, each with {GPUS} GPUs, {GPUS * VGPUS} vGPUs and as many guests; "
          f"{os.cpu_count()} processors here, for the hosts too:")
    line("", COMMANDS)
    alone = {c: max(best(c, [uri])[0] for uri in uris) for c in COMMANDS}
    line("the slowest host alone, s", (f"{alone[c]:.3f}" for c in COMMANDS))
    together, traffic = {}, {}
    for c in COMMANDS:
        hosts[0].traffic()
        together[c] = best(c, uris)
        time.sleep(0.5)
        traffic[c] = hosts[0].traffic()
    line(f"all {len(hosts)}, s", (f"{together[c][0]:.3f}" for c in COMMANDS))
    line("  of the slowest alone", (f"{together[c][0] / alone[c]:.1f}" for c in COMMANDS))
    line("  processor time of vgpuctl, all processes, s", (f"{together[c][1]:.2f}" for c in COMMANDS))
    for i, what in enumerate(("connections to a host", "calls to a host", "KiB to and from a host")):
        scale = ROUNDS * (1024 if i == 2 else 1)
        line("  " + what, (f"{traffic[c][i] / scale:.0f}" for c in COMMANDS))
    sizes = {c: memory(c, hosts, uris) for c in COMMANDS}
    line("  processes that wait for them", (sizes[c][1] for c in COMMANDS))
    line("  their memory (shares of what is shared), MiB", (f"{sizes[c][0]:.1f}" for c in COMMANDS))


def wake_after(host, seconds):
    """Has a host sleep, and says who wakes it so long after a command began."""
    host.stop()

    def watch(_process):
        time.sleep(seconds)
        host.go_on()

    return watch


def measure_bad(hosts, uris):
    """One is slow; then another is dead as well, and one refuses."""
    slow, dead = hosts[0], hosts[1]
    figures = {}
    for c in COMMANDS:
        results = [run(c, uris, watch=wake_after(slow, SLOW)) for _ in range(ROUNDS)]
        for result in results:
            expect(c, result, len(uris))
        figures[c] = min(result[0] for result in results)
    line(f"one answers only after {SLOW:.0f} s: of that time", (f"{figures[c] / SLOW:.2f}" for c in COMMANDS))
    refusing = SCRATCH + "/refusing"
    with socket.socket(socket.AF_UNIX) as nobody_listens:
        nobody_listens.bind(refusing)
    uris = uris[:-1] + [f"test+unix:///default?socket={refusing}"]
    dead.stop()
    for c in COMMANDS:
        result = run(c, uris, TIMEOUT, watch=wake_after(slow, SLOW))
        expect(c, result, len(uris) - 2, (f"no answer within {TIMEOUT} s", "Connection refused"))
        figures[c] = result[0]
    dead.go_on()
    line(f"besides, one is dead and one refuses: of the timeout, {TIMEOUT} s",
         (f"{figures[c] / TIMEOUT:.2f}" for c in COMMANDS))


def main():
    hosts = []
    os.mkdir(SCRATCH + "/no-drivers")
    try:
        libvirtd = find_libvirtd(SCRATCH)
        hosts += (Host(SCRATCH, libvirtd, number) for number in range(HOSTS))
        for host in hosts:
            host.wait()
        uris = [host.uri for host in hosts]
        measure(hosts, uris)
        measure_bad(hosts, uris)
    finally:
        for host in hosts:
            host.go_on()
            host.process.terminate()
        for host in hosts:
            host.process.wait()
        shutil.rmtree(SCRATCH)


if HOSTS < 3:
    sys.exit("bench-hosts.py: at least 3 hosts, please: one is slow, one dead, and one refuses")
# The name is short, because a socket's path must be short. The user of the daemons can pass through
# this directory.
SCRATCH = tempfile.mkdtemp(prefix="vgpu-hosts.", dir="/tmp")
os.chmod(SCRATCH, 0o755)
main()
