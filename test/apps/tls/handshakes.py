"""Makes TLS 1.3 connections to 127.0.0.1, one after the other, and prints a line for each:
ServerHello.random in hexadecimal, and the HTTP header X-Worker of the answer to a GET.

usage: handshakes.py PORT CERTIFICATE CONNECTIONS
"""
import http.client
import ssl
import sys

SERVER_HELLO = 2
# SHA-256 of "HelloRetryRequest" (RFC 8446 4.1.3): not random, and not to be met here.
RETRY = "cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c"


def main():
    port, certificate, connections = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    seen = []

    def message(_connection, direction, _version, _content, kind, data):
        # Type, length (3 bytes) and version (2 bytes) come first.
        if direction == "read" and getattr(kind, "value", kind) == SERVER_HELLO:
            seen.append(data[6:38].hex())

    context = ssl.create_default_context(cafile=certificate)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context._msg_callback = message
    for _ in range(connections):
        seen.clear()
        connection = http.client.HTTPSConnection("127.0.0.1", port, context=context, timeout=20)
        connection.request("GET", "/")
        answer = connection.getresponse()
        answer.read()
        connection.close()
        if len(seen) != 1 or seen[0] == RETRY:
            sys.exit(f"expected one ServerHello, saw {seen}")
        print(seen[0], answer.getheader("X-Worker", "-"))


main()
