#!/usr/bin/env python3
"""Redis pub/sub with Python's standard library: exec:'examples/adapters/redis_pubsub.py 127.0.0.1 6379'."""
import socket, struct, sys, threading

HELLO, SETUP, SEND, TEARDOWN, REPLY = 1, 2, 3, 4, 5
links, told = {}, {b"run": b""}

def write(kind, conn, body=b""):
    sys.stdout.buffer.write(struct.pack("<III", len(body), kind, conn) + body)  # one call, which no thread interrupts
    sys.stdout.buffer.flush()

def command(link, *words):
    link.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words))

# receive reads six lines before each message: *3, $7, message, $n, its channel and $length; at first those of
# the subscription, which end with :1.
def receive(conn, lines):
    while size := [lines.readline() for _ in range(6)][5]:
        kind, body = (SETUP, b"") if size == b":1\r\n" else (REPLY, lines.read(int(size[1:]) + 2)[:-2])
        write(kind, conn, body)

while head := sys.stdin.buffer.read(12):
    size, kind, conn = struct.unpack("<III", head)
    body, channel = sys.stdin.buffer.read(size), b"%s.%d" % (told[b"run"], conn)
    if kind == HELLO:
        told = dict(line.split(b"=", 1) for line in body.splitlines())
        write(HELLO, 0, b"protocol=1\nproduct=Redis\nclient=Python sockets\necho=true\n")
    elif b"echo" in told:  # the floor: without Redis
        write(REPLY if kind == SEND else kind, conn, body)
    elif kind == SETUP:
        links[conn] = up, down = [socket.create_connection(sys.argv[1:]) for _ in range(2)]
        command(up, b"CLIENT", b"REPLY", b"OFF")
        command(down, b"SUBSCRIBE", channel)
        threading.Thread(target=receive, args=(conn, down.makefile("rb")), daemon=True).start()
    elif kind == SEND:
        command(links[conn][0], b"PUBLISH", channel, body)
    elif kind == TEARDOWN:
        for link in links.pop(conn): link.shutdown(socket.SHUT_RDWR)
        write(TEARDOWN, conn)
