#!/usr/bin/env python3
"""Redis pub/sub with Python's standard library: exec:'examples/adapters/redis_pubsub.py 127.0.0.1 6379'."""
import socket, struct, sys, threading

HELLO, SETUP, SEND, TEARDOWN, REPLY = 1, 2, 3, 4, 5
links, writing, (host, port) = {}, threading.Lock(), sys.argv[1:]

def write(kind, conn, body=b""):
    with writing:
        sys.stdout.buffer.write(struct.pack("<III", len(body), kind, conn) + body)
        sys.stdout.buffer.flush()

def command(link, *words):
    link.sendall(b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words))

def receive(conn, link):
    lines = link.makefile("rb")
    while line := lines.readline():  # *3 and three words, or :1 for a message that was published
        words = []
        for _ in range(int(line[1:]) if line[:1] == b"*" else 0):
            head = lines.readline()
            words.append(lines.read(int(head[1:]) + 2)[:-2] if head[:1] == b"$" else head)
        if words and words[0] == b"message":
            write(REPLY, conn, words[2])
        elif words:
            write(SETUP, conn)  # the subscription is in force

while head := sys.stdin.buffer.read(12):
    size, kind, conn = struct.unpack("<III", head)
    body, channel = sys.stdin.buffer.read(size), b"brokerbench.%d" % conn
    if kind == HELLO:
        prefix = dict(line.split("=", 1) for line in body.decode().splitlines())["run"].encode()
        write(HELLO, 0, b"protocol=1\nproduct=Redis\nclient=Python sockets\n")
    elif kind == SETUP:
        links[conn] = [socket.create_connection((host, int(port))) for _ in range(2)]
        for link in links[conn]:
            threading.Thread(target=receive, args=(conn, link), daemon=True).start()
        command(links[conn][0], b"SUBSCRIBE", prefix + channel)
    elif kind == SEND:
        command(links[conn][1], b"PUBLISH", prefix + channel, body)
    elif kind == TEARDOWN:
        for link in links.pop(conn, ()):
            link.shutdown(socket.SHUT_RDWR)
        write(TEARDOWN, conn)
