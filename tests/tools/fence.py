"""Print the fenced blocks of a markdown file whose info words include all the given tags.

Documentation here is executed: a lit test over a page extracts its blocks and runs them. Lines outside the wanted
blocks are printed as blank lines, so that an error in a snippet names the page's own line; `--compact` leaves them
out (for comparing with a program's output). A page without such a block is an error, so a renamed tag cannot make
a test pass by testing nothing.

    fence.py README.md moa            every block opened by ```moa ...
    fence.py README.md c heat         only ```c heat
"""
import sys


def main(arguments):
    compact = "--compact" in arguments
    words = [a for a in arguments if a != "--compact"]
    if len(words) < 2:
        sys.exit("usage: fence.py [--compact] FILE TAG...")
    path, tags = words[0], words[1:]
    inside = wanted = found = False
    with open(path, encoding="utf-8") as page:
        for line in page:
            if line.startswith("```"):
                info = line.strip()[3:].split()
                wanted = not inside and all(tag in info for tag in tags)
                inside = not inside
                found = found or wanted
                line = "\n" if not compact else ""
            elif not (inside and wanted):
                line = "\n" if not compact else ""
            sys.stdout.write(line)
    if not found:
        sys.exit(f"{path}: no block tagged {' '.join(tags)}")


main(sys.argv[1:])
