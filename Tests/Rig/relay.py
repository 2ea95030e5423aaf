#!/usr/bin/python3
"""A way to a server that can lose its memory, as a router does.

    relay.py PORT      forwards TCP connections to 127.0.0.1:PORT

Prints {"port": N} once it listens, and ends with its standard input. A line there: `mute` makes it swallow all that comes over
the connections that are there now, in both directions, without a word to either end; later ones pass. It prints
{"muted": N}. `report` prints {"connections": N, "open": N, "swallowed": [text, ...]}: all there ever were, those whose
clients have not closed them, and what clients sent into each of the muted ones, as Latin-1.
"""
import json
import os
import selectors
import socket
import sys


def say(**answer):
    print(json.dumps(answer), flush=True)


def main():
    target = int(sys.argv[1])
    selector = selectors.DefaultSelector()
    listener = socket.create_server(("127.0.0.1", 0))
    selector.register(listener, selectors.EVENT_READ, "accept")
    selector.register(sys.stdin.fileno(), selectors.EVENT_READ, "command")
    pairs, muted, ends, ended = [], {}, {}, set()
    say(port=listener.getsockname()[1])
    waiting = b""
    while True:
        for key, _ in selector.select():
            if key.data == "command":
                data = os.read(key.fd, 4096)
                if not data:
                    return
                waiting += data
                while b"\n" in waiting:
                    line, _, waiting = waiting.partition(b"\n")
                    if line == b"mute":
                        for client, server in pairs:
                            muted.setdefault(client, bytearray())
                            muted.setdefault(server, bytearray())
                        say(muted=len(muted) // 2)
                    elif line == b"report":
                        say(connections=len(pairs), open=sum(client not in ended for client, _ in pairs), swallowed=[
                            bytes(muted[client]).decode("latin-1") for client, _ in pairs if client in muted])
            elif key.data == "accept":
                client, _ = listener.accept()
                server = socket.create_connection(("127.0.0.1", target))
                for end in (client, server):
                    end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    selector.register(end, selectors.EVENT_READ, "bytes")
                ends[client], ends[server] = server, client
                pairs.append((client, server))
            else:
                end = key.fileobj
                try:
                    data = end.recv(65536)
                except OSError:
                    data = b""
                if not data:
                    ended.add(end)
                if end in muted:
                    muted[end] += data
                    if not data:
                        selector.unregister(end)
                    continue
                try:
                    if data:
                        ends[end].sendall(data)
                        continue
                    ends[end].shutdown(socket.SHUT_WR)
                except OSError:
                    pass
                selector.unregister(end)


if __name__ == "__main__":
    main()
