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

ROOT = "food"
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
# The other forms: what is asked, by form; and what can be chosen by a key.
SCREENS = {
    "pick": re.compile(r"(\d+)\. What is (?:an? )?([a-z ]+) a kind of\?"),
    "tick": re.compile(r"(\d+)\. Which of these are kinds of ([a-z ]+)\?"),
    "place": re.compile(r"(\d+)\. Where does (?:an? )?([a-z ]+) belong\?"),
}
OPTION = re.compile(r"^(?:\x1b\[0m)?[ >](\d) (?:\[.\] )?([a-z ]+)\r$", re.MULTILINE)
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

    def screen(self, form):
        """The next screen of this form, once the line of keys below it is there too; none if the program ended."""
        since = len(self.seen)
        while True:
            found = list(form.finditer(self.seen, since))
            if found and re.search("(q|esc).quit", below := self.seen[found[-1].end():]):
                return found[-1], below
            if not self.read():
                return None

    def question(self):
        """The next yes/no question; none if the program ended."""
        if (shown := self.screen(QUESTION)) is None:
            return None
        found, _ = shown
        return int(found[1]), found[2], found[3]

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


def keys_of(form, concept, below):
    """The keys of a true answer to a screen about a concept."""
    if form == "place":
        return "0" if PARENTS[concept] == ROOT else PARENTS[concept] + "\r"
    options = [(key, option.strip()) for key, option in OPTION.findall(below)]
    if form == "pick":
        above = [(key, option) for key, option in options if is_above(option, concept)]
        lowest = [key for key, option in above if not any(is_above(option, other) for _, other in above)]
        return lowest[0] if lowest else "0"
    # The first box by space, where the mark is at first; others by their numbers.
    ticked = "".join(" " if key == "1" else key for key, option in options if is_above(concept, option))
    return ticked + "\r" if ticked else "0"


def answer_in(form, terminal):
    """Answers truthfully in one form until the program has enough; how many answers that took."""
    answers = 0
    while (shown := terminal.screen(SCREENS[form])) is not None:
        found, below = shown
        if int(found[1]) == answers:
            # Drawn anew at every key before the last one.
            continue
        check(int(found[1]) == answers + 1, f"screen {found[1]} after {answers} answers")
        check(answers < MOST_QUESTIONS, f"more than {MOST_QUESTIONS} answers by {form}")
        terminal.press(keys_of(form, found[2], below))
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

        for form in SCREENS:
            run("new", form, "--concepts", "concepts.txt", "--root", ROOT, "--language", "en", "--forms", form)
            terminal = Terminal([grove, "ask", form], folder)
            answers = answer_in(form, terminal)
            check(terminal.end() == 0, f"grove ask ends badly:\n{terminal.seen[-2000:]}")
            shown = json.loads(run("show", form, "--json"))
            check(shown["votes"] == answers, f"{shown['votes']} votes after {answers} answers")
            wrong = wrong_parents(shown, PARENTS)
            check(not wrong, f"wrong parents of {wrong}")
            print(f"12 concepts, {answers} answers by keys in the form {form}, all parents right")


main(*sys.argv[1:])
