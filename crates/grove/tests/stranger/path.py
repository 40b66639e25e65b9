"""Walks a stranger's path through the program, with keys in a real terminal. Prints what it did; ends with 1 where something is wrong."""

import fcntl
import json
import logging
import os
import pty
import re
import select
import struct
import subprocess
import sys
import tempfile
import termios

import rdflib
import skosify

PARENTS = {
    "fruit": "food",
    "vegetable": "food",
    "dairy product": "food",
    "citrus fruit": "fruit",
    "apple": "fruit",
    "orange": "citrus fruit",
    "lemon": "citrus fruit",
    "carrot": "vegetable",
    "leek": "vegetable",
    "cheese": "dairy product",
    "brie": "cheese",
    "milk": "dairy product",
}
MOST_QUESTIONS = 75
# The key that slips once, and is taken back: nobody answers without a mistake.
SLIP = 5
QUESTION = re.compile(r"(\d+)\. Is (?:an? )?([a-z ]+) a kind of ([a-z ]+)\?")
PATIENCE = 60


def is_above(upper, lower):
    parent = PARENTS.get(lower)
    return parent is not None and (parent == upper or is_above(upper, parent))


class Terminal:
    """A program in a terminal of 40 lines."""

    def __init__(self, command, folder):
        self.child, self.keys = pty.fork()
        if self.child == 0:
            os.chdir(folder)
            os.environ["TERM"] = "xterm-256color"
            os.execv(command[0], command)
        fcntl.ioctl(self.keys, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
        self.seen = ""

    def read(self):
        """What it prints next; nothing if it has ended."""
        ready, _, _ = select.select([self.keys], [], [], PATIENCE)
        if not ready:
            sys.exit(f"the program says nothing for {PATIENCE} seconds; last:\n{self.seen[-2000:]}")
        try:
            read = os.read(self.keys, 65536).decode("utf-8", "replace")
        except OSError:
            read = ""
        self.seen += read
        return read

    def question(self):
        """The next question on the screen, once the line below it is there too; none if the program ended."""
        since = len(self.seen)
        while True:
            found = list(QUESTION.finditer(self.seen, since))
            if found and "q quit" in self.seen[found[-1].end():]:
                return int(found[-1][1]), found[-1][2], found[-1][3]
            if not self.read():
                return None

    def press(self, key):
        os.write(self.keys, key.encode())

    def end(self):
        while self.read():
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self.child, 0)[1])


def answer_all(terminal):
    """Answers truthfully until the program has enough; how many answers that took."""
    answers, slipped = 0, False
    while (asked := terminal.question()) is not None:
        number, lower, upper = asked
        check(number == answers + 1, f"question {number} after {answers} answers")
        if answers == MOST_QUESTIONS:
            terminal.press("q")
            continue
        right = is_above(upper, lower)
        if number == SLIP and not slipped:
            slipped = True
            terminal.press("n" if right else "y")
            terminal.question()
            terminal.press("u")
            check(terminal.question() == asked, "the question that was taken back is asked again")
        terminal.press("y" if right else "n")
        answers += 1
    return answers


def wrong_parents(shown, parents):
    found = {edge["child"]: edge["parent"] for edge in shown["hierarchy"]}
    return [child for child, parent in parents.items() if found.get(child) != parent]


def complaints(turtle):
    """What skosify says of a vocabulary, warnings and worse."""
    said = []
    handler = logging.Handler(level=logging.WARNING)
    handler.emit = lambda record: said.append(record.getMessage())
    logging.getLogger().addHandler(handler)
    try:
        with tempfile.NamedTemporaryFile("w", suffix=".ttl", encoding="utf-8") as file:
            file.write(turtle)
            file.flush()
            skosify.skosify(file.name)
    finally:
        logging.getLogger().removeHandler(handler)
    return said


def check(right, what):
    if not right:
        sys.exit(f"wrong: {what}")


def main(grove):
    grove = os.path.abspath(grove)
    with tempfile.TemporaryDirectory() as folder:
        def run(*words):
            done = subprocess.run([grove, *words], cwd=folder, capture_output=True, text=True)
            check(done.returncode == 0, f"grove {' '.join(words)}: {done.stderr}")
            return done.stdout

        with open(os.path.join(folder, "concepts.txt"), "w", encoding="utf-8") as file:
            file.write("\n".join(PARENTS) + "\n")
        run("new", "food", "--concepts", "concepts.txt", "--root", "food", "--language", "en", "--noise", "0.05")
        terminal = Terminal([grove, "ask", "food"], folder)
        answers = answer_all(terminal)
        check(terminal.end() == 0, f"grove ask ends badly:\n{terminal.seen[-2000:]}")
        check("\x1b[?1049l" in terminal.seen, "the screen is given back")
        check(answers <= MOST_QUESTIONS, f"{answers} answers")
        shown = json.loads(run("show", "food", "--json"))
        check(shown["votes"] == answers, f"{shown['votes']} votes after {answers} answers")
        wrong = wrong_parents(shown, PARENTS)
        check(not wrong, f"wrong parents of {wrong}")
        # The comparison would have seen a wrong one.
        check(wrong_parents(shown, PARENTS | {"brie": "milk"}) == ["brie"], "a planted wrong parent goes unseen")
        turtle = run("export", "food", "--format", "skos")
        said = complaints(turtle)
        check(not said, f"skosify says {said}")
        # And skosify would have said something.
        twice = rdflib.Graph().parse(data=turtle, format="turtle")
        concept = next(twice.subjects(rdflib.RDF.type, rdflib.SKOS.Concept))
        twice.add((concept, rdflib.SKOS.prefLabel, rdflib.Literal("another name", lang="en")))
        check(complaints(twice.serialize(format="turtle")), "skosify is silent about two preferred labels")
        print(f"12 concepts, {answers} answers by keys, all parents right, skosify silent")


main(*sys.argv[1:])
