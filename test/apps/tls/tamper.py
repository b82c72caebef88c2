"""A proxy between a TLS 1.2 client and its server on 127.0.0.1, which flips one bit of each connection: in the
application-data record number RECORD (from 1) that SIDE sends, at byte OFFSET of what follows the record's
header, from the end if negative. With RECORD 0 nothing is changed. Prints "flipped" for each.

usage: tamper.py LISTEN TARGET client|server RECORD OFFSET
"""
import socket
import sys
import threading

HEADER_BYTES = 5
APPLICATION_DATA = 23


def exactly(source, length):
    data = b""
    while len(data) < length:
        piece = source.recv(length - len(data))
        if not piece:
            return None
        data += piece
    return data


def carry(source, target, record, offset):
    seen = 0
    try:
        while header := exactly(source, HEADER_BYTES):
            body = bytearray(exactly(source, int.from_bytes(header[3:5], "big")) or b"")
            if header[0] == APPLICATION_DATA:
                seen += 1
                if seen == record:
                    body[offset] ^= 1
                    print("flipped", flush=True)
            target.sendall(header + body)
        target.shutdown(socket.SHUT_WR)
    except OSError:  # one side has closed its connection
        pass


def main():
    listen, target, side, record, offset = (
        int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
    with socket.create_server(("127.0.0.1", listen)) as server:
        while True:
            client = server.accept()[0]
            upstream = socket.create_connection(("127.0.0.1", target))
            for source, sink, name in ((client, upstream, "client"), (upstream, client, "server")):
                threading.Thread(target=carry, daemon=True,
                                 args=(source, sink, record if name == side else 0, offset)).start()


main()
