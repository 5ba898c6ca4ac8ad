"""Succeeds if the lines of the second file stand in the first one, together and in order; blank lines do not count.

    contains.py emitted.c block.txt
"""
import sys


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [line.rstrip() for line in file if line.strip()]


def main(arguments):
    whole, part = lines(arguments[0]), lines(arguments[1])
    if not part:
        sys.exit("nothing to look for")
    for start in range(len(whole) - len(part) + 1):
        if whole[start:start + len(part)] == part:
            return
    sys.exit("not found:\n" + "\n".join(part) + "\nin:\n" + "\n".join(whole))


main(sys.argv[1:])
