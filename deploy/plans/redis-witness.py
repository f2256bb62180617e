#!/usr/bin/env python3
"""Counts acknowledged messages that Redis has lost, without a line of brokerbench's.

    deploy/plans/redis-witness.py --results results -- brokerbench run -f deploy/plans/redis-failover.yaml --out results

While the command runs, this listens to the loopback interface as tcpdump does, to the ports of
the servers that the command starts (or to --ports), puts the TCP streams together and reads the protocol: which XADD of a stream brokerbench.* the server
answered with an ID, and with WAIT behind it, which WAIT counted enough replicas. That is the
list of what was acknowledged. So many seconds after the first message of a stream it asks
whoever answers its XADD by then for the whole stream (XRANGE): that is what has survived. What was
acknowledged until then and is not there is lost; nothing may break any more after it. With
--results, what brokerbench says stands beside it; it is read only to be printed.

It needs Linux, root (CAP_NET_RAW) and Python 3.8. It ends with 1 if it could not hear everything.
"""
import argparse
import collections
import ctypes
import glob
import json
import os
import re
import socket
import struct
import subprocess
import sys
import threading
import time

PROBE = 2**64 - 1  # the message before the schedule, which no ledger has
OTHERS = {b"XREAD", b"XREADGROUP", b"XRANGE", b"SUBSCRIBE", b"PSYNC", b"REPLCONF", b"MONITOR", b"SENTINEL"}


class More(Exception):
    """The rest has not arrived yet."""


class Bytes:
    """One direction of a TCP stream, put together from segments in any order."""

    def __init__(self, first):
        self.next, self.data, self.early = first, bytearray(), {}

    def add(self, seq, segment):
        behind = (self.next - seq) & 0xFFFFFFFF
        if behind >= 2**31:
            self.early[seq] = segment
            return
        if behind < len(segment):
            self.data += segment[behind:]
            self.next = (self.next + len(segment) - behind) & 0xFFFFFFFF
            for at in [at for at in self.early if (self.next - at) & 0xFFFFFFFF < 2**31]:
                self.add(at, self.early.pop(at))

    def line(self, at):
        end = self.data.find(b"\r\n", at)
        if end < 0:
            raise More
        return bytes(self.data[at:end]), end + 2

    def value(self, at=0):
        """Returns what stands at a position, in RESP 2 or 3, and where it ends."""
        line, at = self.line(at)
        kind, rest = line[:1], line[1:]
        if kind in b"$=!" and int(rest) >= 0:
            end = at + int(rest)
            if len(self.data) < end + 2:
                raise More
            return bytes(self.data[at:end]), end + 2
        if kind in b"*~>%" and int(rest) >= 0:
            items = []
            for _ in range(int(rest) * (2 if kind == b"%" else 1)):
                item, at = self.value(at)
                items.append(item)
            return items, at
        return (int(rest) if kind == b":" else Exception(rest.decode()) if kind == b"-" else None if kind in b"$*_" else rest), at

    def take(self):
        """Yields the values that have arrived."""
        try:
            while self.data:
                value, end = self.value()
                del self.data[:end]
                yield value
        except More:
            pass


class Conversation:
    """A connection of a client. It is over as soon as it is none that adds messages."""

    def __init__(self, witness, port, first):
        self.witness, self.port = witness, port
        self.asks, self.answers = Bytes(first), None
        self.open = collections.deque()  # commands without an answer
        self.waits, self.added, self.over = False, [], False

    def heard(self):
        if self.asks.data and not self.asks.data.startswith(b"*"):
            self.over = True
        for command in [] if self.over else self.asks.take():
            name = command[0].upper()
            self.over = self.over or name in OTHERS
            self.waits = self.waits or name in (b"WAIT", b"WAITAOF")
            self.open.append(command)
        if self.answers is None or self.over:
            return
        for answer in self.answers.take():
            if not self.open:  # it speaks another way
                self.over = True
                return
            self.answered(self.open.popleft(), answer)

    def answered(self, command, answer):
        name = command[0].upper()
        if name == b"XADD" and isinstance(answer, bytes) and len(command[-1]) >= 16:
            key, (conn, seq) = command[1].decode(), struct.unpack(">IQ", command[-1][4:16])
            if seq != PROBE and key.startswith("brokerbench."):
                self.added.append((key, answer.decode(), conn, seq))
        elif name in (b"WAIT", b"WAITAOF"):
            counts, wanted = (answer if isinstance(answer, list) else [answer]), [int(n) for n in command[1:-1]]
            if any(not isinstance(n, int) or n < want for n, want in zip(counts, wanted)):
                self.added = []
        if not self.waits or name in (b"WAIT", b"WAITAOF"):
            for message in self.added:
                self.witness.acknowledged(self.port, *message)
            self.added = []


def servers(pid):
    """Returns the ports of the Redis servers below a process, without sentinels."""
    ports = set()
    try:
        for thread in os.listdir("/proc/%d/task" % pid):
            with open("/proc/%d/task/%s/children" % (pid, thread), encoding="ascii") as file:
                for child in map(int, file.read().split()):
                    with open("/proc/%d/cmdline" % child, encoding="utf-8", errors="replace") as line:
                        title = re.match(r"\S*(?:redis|valkey)-server \S*:(\d+)[ \0]*$", line.read())
                    ports |= {int(title[1])} if title else servers(child)
    except OSError:
        pass  # it has ended
    return ports


class Stream:
    def __init__(self):
        self.began, self.port, self.read = time.monotonic(), 0, False
        self.acked, self.kept, self.last = {}, set(), None  # by connection and number; the last ID that was read

    def lost(self):
        """Returns the messages that were acknowledged until it was read, and were not there."""
        return sorted(m for m, id in self.acked.items() if m not in self.kept and order(id) <= order(self.last))


class Witness:
    def __init__(self, read_at):
        self.read_at, self.talks, self.streams = read_at, {}, {}
        self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        self.socket.setsockopt(socket.SOL_SOCKET, 33, 256 << 20)  # SO_RCVBUFFORCE
        self.only(set())
        self.socket.bind(("lo", 0))
        self.socket.settimeout(0.2)

    def only(self, ports):
        """Has the kernel pass on TCP over IPv4 from and to these ports, and nothing else."""
        wants = [(0x15, 0, 0, port) for port in sorted(ports)]  # is it this one?
        code = [(0x28, 0, 0, 12), (0x15, 0, 0, 0x800), (0x30, 0, 0, 23), (0x15, 0, 0, 6), (0x28, 0, 0, 34), *wants, (0x28, 0, 0, 36), *wants]
        no, yes = len(code), len(code) + 1
        for i, (op, _, _, k) in enumerate(code):
            if op == 0x15:
                code[i] = (op, 0, no - i - 1, k) if i < 4 else (op, yes - i - 1, 0, k)
        code += [(6, 0, 0, 0), (6, 0, 0, 1 << 18)]
        program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in code))
        self.socket.setsockopt(socket.SOL_SOCKET, 26, struct.pack("HL", len(code), ctypes.addressof(program)))  # SO_ATTACH_FILTER

    def follow(self, pid, running):
        """Listens to every server that a process starts, or what it has started."""
        known = set()
        while running():
            found = servers(pid) - known
            if found:
                known |= found
                self.only(known)
            time.sleep(0.1)

    def listen(self, running):
        heard, ends = 0, float("inf")
        while time.monotonic() < ends:
            heard += 1
            try:
                packet, (_, _, direction, _, _) = self.socket.recvfrom(1 << 17)
            except socket.timeout:
                packet, direction = b"", 0
            if direction == 4:  # on its way out; it comes in once more
                self.packet(packet)
            if heard % 100 == 0 or not packet:
                self.read_what_is_due()
                if ends == float("inf") and not running():
                    ends = time.monotonic() + 2  # for what waits to be heard

    def packet(self, p):
        if p[12:14] != b"\x08\x00" or p[23] != 6:
            return
        ip = 14
        tcp = ip + (p[ip] & 15) * 4
        sport, dport, seq, _, offset, flags = struct.unpack(">HHIIBB", p[tcp : tcp + 14])
        data = p[tcp + (offset >> 4) * 4 : ip + struct.unpack(">H", p[ip + 2 : ip + 4])[0]]
        there, back = (p[26:30], sport, p[30:34], dport), (p[30:34], dport, p[26:30], sport)
        if flags & 2 and not flags & 16:
            self.talks[there] = Conversation(self, dport, (seq + 1) & 0xFFFFFFFF)
            return
        if flags & 2:
            if back in self.talks:
                self.talks[back].answers = Bytes((seq + 1) & 0xFFFFFFFF)
            return
        talk = self.talks.get(there) or self.talks.get(back)
        if talk is None or not data:
            return
        direction = talk.asks if there in self.talks else talk.answers
        if direction is None:
            return
        direction.add(seq, data)
        talk.heard()
        if talk.over:
            del self.talks[there if there in self.talks else back]

    def acknowledged(self, port, key, id, conn, seq):
        stream = self.streams.setdefault(key, Stream())
        stream.port, stream.acked[conn, seq] = port, id

    def read_what_is_due(self):
        for key, stream in list(self.streams.items()):
            if not stream.read and time.monotonic() - stream.began > self.read_at:
                stream.read = True
                threading.Thread(target=try_to_read, args=(key, stream)).start()

    def deaf(self):
        """Returns how many packets and pieces of streams were missed."""
        drops = struct.unpack("II", self.socket.getsockopt(263, 6, 8))[1]  # PACKET_STATISTICS
        return drops + sum(bool(b and b.early) for t in self.talks.values() for b in (t.asks, t.answers) if t.added)


def try_to_read(key, stream):
    """Reads it as soon as there is a master again."""
    for _ in range(30):
        try:
            stream.kept, stream.last = set(), None
            return read(key, stream)
        except OSError as error:
            stream.last, why = None, error
            time.sleep(1)
    print("%s at port %d: %s" % (key, stream.port, why), file=sys.stderr)


def read(key, stream):
    """Reads the whole stream of the server that answers it now."""
    server = socket.create_connection(("127.0.0.1", stream.port))
    said, start = Bytes(0), "-"
    while True:
        words = ["XRANGE", key, start, "+", "COUNT", "500"]
        server.sendall(("*%d\r\n" % len(words) + "".join("$%d\r\n%s\r\n" % (len(w), w) for w in words)).encode())
        page = None
        while page is None:
            page = next(said.take(), None)
            if page is None:
                more = server.recv(1 << 20)
                if not more:
                    raise OSError("it hung up")
                said.data += more
        if isinstance(page, Exception):
            raise OSError(page)
        for id, fields in page:
            if len(fields[1]) >= 16:
                stream.kept.add(struct.unpack(">IQ", fields[1][4:16]))
        if not page:
            return
        stream.last = page[-1][0].decode()
        start = "(" + stream.last


def order(id):
    return tuple(int(n) for n in id.split("-"))


def audits(folder):
    """Returns what brokerbench's audits say, by the name of a cell's first stream."""
    said = {}
    for path in glob.glob(os.path.join(folder, "*", "run.json")):
        with open(path, encoding="utf-8") as file:
            run = json.load(file)
        for number, cell in enumerate(run["cells"]):
            with open(os.path.join(os.path.dirname(path), "cells", cell["id"], "cell.json"), encoding="utf-8") as file:
                said["brokerbench.%s-%d.0" % (run["id"], number)] = json.load(file).get("audit", {})
    return said


def named(lost):
    return "%d/%d to %d/%d" % (*lost[0], *lost[-1]) if lost else ""


def table(streams, said):
    row = "%-36s %8s %8s %8s  %-22s | %8s %8s  %s"
    print(row % ("stream (connection/number)", "acked", "read", "lost", "", "acked", "missing", "as brokerbench says"))
    for key, s in streams.items():
        if said and key not in said:
            continue  # somebody else's, on the same machine
        lost = s.lost() if s.last else None
        counts = (len(s.kept), len(lost)) if s.last else ("not read", "")
        a = said.get(key, {})
        theirs = [(a[end]["conn"], a[end]["seq"]) for end in ("first", "last") if end in a]
        print(row % (key, len(s.acked), *counts, named(lost), a.get("acked", ""), a.get("missing", ""), named(theirs)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--read-at", type=float, default=50, help="seconds after the first message of a stream at which it is read (50)")
    parser.add_argument("--ports", help="of the servers, with commas, if the command does not start them itself")
    parser.add_argument("--results", help="where brokerbench writes its results")
    parser.add_argument("command", nargs="+")
    o = parser.parse_args()
    witness = Witness(o.read_at)
    if o.ports:
        witness.only({int(port) for port in o.ports.split(",")})
    command = subprocess.Popen(o.command)
    if not o.ports:
        threading.Thread(target=witness.follow, args=(command.pid, lambda: command.poll() is None), daemon=True).start()
    try:
        witness.listen(lambda: command.poll() is None)
    finally:
        command.wait()
    table(witness.streams, audits(o.results) if o.results else {})
    if missed := witness.deaf():
        print("%d packets were not heard: these numbers are too small" % missed, file=sys.stderr)
    return 1 if missed else command.returncode


if __name__ == "__main__":
    sys.exit(main())
