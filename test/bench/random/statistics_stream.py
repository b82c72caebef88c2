"""Writes what a command prints, run again and again, to stdout until the reader has had enough, and
then the number of bytes to a file.

usage: statistics_stream.py COUNT-FILE whole|broken COMMAND...
broken: every 64th byte has its top bit cleared, as a stuck line would. A test suite must see it.
"""
import os
import subprocess
import sys

CHUNK = 1 << 20
STUCK = bytes(b & 0x7F for b in range(256))


def main():
    broken = sys.argv[2] == "broken"
    written = 0
    try:
        while True:
            source = subprocess.Popen(sys.argv[3:], stdout=subprocess.PIPE)
            while chunk := source.stdout.read(CHUNK):
                if broken:
                    chunk = bytearray(chunk)
                    chunk[::64] = chunk[::64].translate(STUCK)
                sys.stdout.buffer.write(chunk)
                sys.stdout.buffer.flush()
                written += len(chunk)
            if source.wait() != 0:
                sys.exit(f"{sys.argv[3]} {sys.argv[4]} failed")
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    finally:
        source.kill()
        with open(sys.argv[1], "w", encoding="ascii") as count:
            count.write(str(written))


main()
