#!/usr/bin/env python3
"""The channel-dependency graph of the mesh (Dally and Seitz, 1987): XY routing as router_input.sv
has it, and the elements' answers. No circle in it, no deadlock; and where we say that there would
be one, there is."""
import itertools
import sys


def route(width, place, to):
    """The side by which a packet for `to` leaves a router; `to` is (x, y); x = 0: a host port."""
    (x, y), (to_x, to_y) = place, to
    column = max(to_x, 1)
    if x < column:
        return "E"
    if x > column:
        return "W"
    if y != to_y:
        return "N" if to_y < y else "S"
    return "host" if to_x == 0 else "L"


STEP = {"E": (1, 0), "W": (-1, 0), "N": (0, -1), "S": (0, 1)}


def channels(width, source, to, turns=route):
    """The channels that a packet holds one after the other."""
    x, y = (1, source[1]) if source[0] == 0 else source
    held = [("in", source)]
    for _ in range(64):
        side = turns(width, (x, y), to)
        if side in ("L", "host"):
            return held + [("out", to)]
        held.append((side, (x, y)))
        x, y = x + STEP[side][0], y + STEP[side][1]
    raise RuntimeError(f"a packet from {source} never comes to {to}")


def graph(width, height, pairs, serves, turns=route):
    """Edges between channels: what is held, and what is asked for meanwhile."""
    edges = {}
    for source, to in pairs:
        held = channels(width, source, to, turns)
        for one, next_one in zip(held, held[1:]):
            edges.setdefault(one, set()).add(next_one)
    for node in itertools.product(range(1, width + 1), range(height)):
        if serves:  # an element takes nothing more until its results have left
            edges.setdefault(("out", node), set()).add(("in", node))
    return edges


def circle(edges):
    """A list of channels that wait for one another, or None."""
    done, path = set(), []

    def visit(channel):
        if channel in path:
            return path[path.index(channel):] + [channel]
        if channel in done:
            return None
        path.append(channel)
        for after in sorted(edges.get(channel, ())):
            found = visit(after)
            if found:
                return found
        done.add(path.pop())
        return None

    for channel in sorted(edges):
        found = visit(channel)
        if found:
            return found
    return None


def jobs(width, height, hosts, any_host=False):
    """Requests to elements and results back: of a band's port, or of every port."""
    band = height // hosts
    pairs = []
    for host in range(0, height, band):
        for x, y in itertools.product(range(1, width + 1), range(height)):
            if any_host or host <= y < host + band:
                pairs += [((0, host), (x, y)), ((x, y), (0, host))]
    return pairs


def column_first(width, place, to):
    """YX routing. As good as XY alone; packets of both kinds in one mesh close a circle."""
    (x, y), (to_x, to_y) = place, to
    if y != to_y:
        return "N" if to_y < y else "S"
    return route(width, place, to)


def both(one, other):
    return {channel: one.get(channel, set()) | other.get(channel, set())
            for channel in {**one, **other}}


def main():
    wrong = []

    def check(name, edges, expected):
        found = circle(edges)
        has = f"a circle of {len(found) - 1}" if found else "no circle"
        print(f"{name}: {len(edges)} channels, {has}")
        if (found is not None) != expected:
            wrong.append(name)
            if found:
                print("  " + " -> ".join(f"{side}{place}" for side, place in found))

    for width, height in ((1, 1), (2, 2), (4, 4), (3, 5), (8, 8)):
        ends = list(itertools.product(range(width + 1), range(height)))
        name = f"{width}x{height}"
        check(f"{name}, any port to any port",
              graph(width, height, itertools.product(ends, ends), False), False)
        for hosts in (h for h in range(1, height + 1) if height % h == 0):
            check(f"{name}, jobs, {hosts} ports",
                  graph(width, height, jobs(width, height, hosts), True), False)
        if height > 1:
            check(f"{name}, jobs, any port to any element",
                  graph(width, height, jobs(width, height, height, True), True), True)
        if width > 1 and height > 1:
            pairs = list(itertools.product(ends, ends))
            check(f"{name}, XY and YX routing",
                  both(graph(width, height, pairs, False),
                       graph(width, height, pairs, False, column_first)), True)
    for name in wrong:
        print(f"wrong: {name}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
