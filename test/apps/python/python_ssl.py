"""Random samples through Python's ssl module, and TLS handshakes in memory around them.

usage: python_ssl.py CERTIFICATE KEY; prints samples of 33 bytes in hexadecimal.
"""
import os
import ssl
import sys
import threading
import time

SAMPLES = 100


def handshake(certificate, key):
    """A TLS 1.3 handshake between two objects of this process, and a message each way."""
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(certificate, key)
    client = ssl.create_default_context(cafile=certificate)
    up, down = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = [
        client.wrap_bio(down, up, server_hostname="127.0.0.1"),
        server.wrap_bio(up, down, server_side=True),
    ]
    waiting = list(ends)
    while waiting:
        for end in list(waiting):
            try:
                end.do_handshake()
                waiting.remove(end)
            except ssl.SSLWantReadError:
                pass
    assert ends[0].version() == "TLSv1.3"
    for sender, receiver in (ends, ends[::-1]):
        sender.write(b"hello")
        assert receiver.read(5) == b"hello"


def samples():
    return [ssl.RAND_bytes(33).hex() for _ in range(SAMPLES)]


def tasks():
    return len(os.listdir("/proc/self/task"))


def threads(count):
    """What so many threads sample; they are gone when it returns.

    Python's join() does not wait for the end of the system's thread, in which libcrypto takes a lock;
    in a child that is forked at that moment nobody would release it.
    """
    before = tasks()
    lists = []
    workers = [threading.Thread(target=lambda: lists.append(samples())) for _ in range(count)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    while tasks() > before:
        time.sleep(0.001)
    assert len(lists) == count
    return [line for part in lists for line in part]


def children(count, certificate, key):
    """Each child, forked from this process, makes a handshake and samples."""
    lines = []
    for _ in range(count):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            handshake(certificate, key)
            with os.fdopen(writer, "w") as out:
                out.write("\n".join(samples() + threads(1)))
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as text:
            lines += text.read().split("\n")
        assert os.waitpid(child, 0)[1] == 0
    return lines


def main():
    certificate, key = sys.argv[1:]
    handshake(certificate, key)
    lines = samples() + threads(20) + samples()
    lines += children(8, certificate, key)
    lines += samples() + samples()
    print("\n".join(lines))


main()
