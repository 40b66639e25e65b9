"""Reads every format with a tool that is not ours, and compares the tree with the one in the nested JSON.

    python read_back.py FOLDER

FOLDER holds what the example `every_format` wrote. Fails on the first difference, and on any complaint of skosify.
"""

import copy
import csv
import re
import io
import json
import logging
import subprocess
import sys
import warnings
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path

import dendropy
import networkx
import pronto
import rdflib
import skosify
from rdflib.namespace import DCTERMS, OWL, RDF, RDFS, SKOS

GROVE = rdflib.Namespace("urn:grove:terms#")
SYNTAX = {".ttl": "turtle", ".rdf": "xml", ".owl": "xml", ".jsonld": "json-ld"}
PART_OF = rdflib.URIRef("http://purl.obolibrary.org/obo/BFO_0000050")


class Truth:
    """The hierarchy by its nested JSON: parents, certainties and texts by name."""

    def __init__(self, path):
        data = json.loads(path.read_text("utf-8"))
        self.title, self.root, self.language = data["title"], data["root"], data["language"]
        self.relation = data["relation"]
        self.concepts, self.parent = {}, {}
        self._collect(data["root"], data["children"])
        self.edges = set(self.parent.items())
        self.certainty = {name: c["certainty"] for name, c in self.concepts.items() if "certainty" in c}

    def _collect(self, parent, children):
        for child in children:
            self.concepts[child["name"]] = child
            self.parent[child["name"]] = parent
            self._collect(child["name"], child.get("children", []))

    def planted(self):
        """The same with a fault in it: one concept too many, and the last one under another parent."""
        wrong = copy.deepcopy(self)
        last = list(self.concepts)[-1]
        wrong.parent[last] = next(name for name in self.concepts if name not in (last, self.parent[last]))
        wrong.edges = set(wrong.parent.items())
        wrong.concepts["one too many"] = {}
        return wrong


def same(found, expected, what):
    if found != expected:
        missing, extra = [], []
        if isinstance(expected, (set, frozenset)):
            missing, extra = sorted(expected - found)[:3], sorted(found - expected)[:3]
        raise SystemExit(f"{what}: differs; missing {missing}, extra {extra}, found {str(found)[:300]}")


def skos(path, truth):
    """The tree, the texts and the certainties of a SKOS graph."""
    graph, what = rdflib.Graph().parse(path, format=SYNTAX.get(path.suffix)), path
    (scheme,) = graph.subjects(RDF.type, SKOS.ConceptScheme)
    labels = dict(graph.subject_objects(SKOS.prefLabel))
    assert all(label.language == truth.language for label in labels.values()), what
    name = {node: str(label) for node, label in labels.items()} | {scheme: truth.root}
    same(str(graph.value(scheme, DCTERMS.title)), truth.title, what)
    up = {(name[c], name[p]) for c, p in graph.subject_objects(SKOS.broader)}
    up |= {(name[c], name[p]) for c, p in graph.subject_objects(SKOS.topConceptOf)}
    down = {(name[c], name[p]) for p, c in graph.subject_objects(SKOS.narrower)}
    down |= {(name[c], name[p]) for p, c in graph.subject_objects(SKOS.hasTopConcept)}
    same(up, truth.edges, f"{what}: broader")
    same(down, truth.edges, f"{what}: narrower")
    same({name[c] for c in graph.subjects(SKOS.inScheme, scheme)}, set(truth.concepts), f"{what}: inScheme")
    for node, label in labels.items():
        concept = truth.concepts[str(label)]
        alternatives = {str(text) for text in graph.objects(node, SKOS.altLabel)}
        same(alternatives, set(concept.get("synonyms", [])), f"{what}: altLabel")
        definition = graph.value(node, SKOS.definition)
        same(definition and str(definition), concept.get("definition"), f"{what}: definition")
        reasons = {str(reason) for reason in graph.objects(node, GROVE.reason)}
        same(reasons, set(concept.get("reason", [])), f"{what}: reason")
        same(graph.value(node, SKOS.editorialNote) is not None, bool(reasons - {"settled"}), f"{what}: note")
    found, shares = {}, {}
    for node in graph.subjects(RDF.type, GROVE.Statement):
        child, parent = (name[graph.value(node, term)] for term in (GROVE.child, GROVE.parent))
        certainty = graph.value(node, GROVE.certainty)
        if certainty is not None:
            found[child, parent] = float(certainty)
        if (share := graph.value(node, GROVE.share)) is not None:
            shares[child, parent] = float(share)
    expected = {(child, truth.parent[child]): certainty for child, certainty in truth.certainty.items()}
    for child, concept in truth.concepts.items():
        for other in concept.get("alternatives", []):
            expected[child, other["parent"]] = other["certainty"]
    same(found, expected, f"{what}: certainties")
    held = {(child, place["parent"]): place["share"] for child, concept in truth.concepts.items()
            for place in concept.get("places", [])}
    same(shares, held, f"{what}: shares")


def owl(path, truth):
    """The tree and the certainties of an OWL graph."""
    graph, what = rdflib.Graph().parse(path, format=SYNTAX.get(path.suffix)), path
    labels = dict(graph.subject_objects(RDFS.label))
    name = {node: str(labels[node]) for node in graph.subjects(RDF.type, OWL.Class)}
    parent = {}
    for child, above in graph.subject_objects(RDFS.subClassOf):
        if isinstance(above, rdflib.BNode):
            assert graph.value(above, OWL.onProperty) == PART_OF, what
            above = graph.value(above, OWL.someValuesFrom)
        parent[name[child]] = name[above]
    same(set(parent.items()), truth.edges, what)
    axioms = graph.subjects(RDF.type, OWL.Axiom)
    certainty = {
        name[graph.value(axiom, OWL.annotatedSource)]: float(graph.value(axiom, GROVE.certainty)) for axiom in axioms
    }
    same(certainty, truth.certainty, f"{what}: certainties")


def skosify_says(path):
    """What skosify's checks would tell its user."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    logging.getLogger().addHandler(handler)
    logging.getLogger().setLevel(logging.WARNING)
    skosify.skosify(str(path))
    logging.getLogger().removeHandler(handler)
    return stream.getvalue()


def skosify_is_silent(path):
    same(skosify_says(path), "", f"{path}: skosify's complaints")


def skosify_is_heard(path):
    """That a fault planted into a good file is complained of: otherwise silence would say nothing."""
    planted = path.with_suffix(".planted.ttl")
    graph = rdflib.Graph().parse(path)
    concept = next(graph.subjects(SKOS.broader))
    graph.add((concept, SKOS.prefLabel, rdflib.Literal("another name", "en")))
    graph.serialize(planted, format="turtle")
    assert "prefLabel" in skosify_says(planted), "skosify does not complain of two preferred labels"


def newick(path, truth):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tree = dendropy.Tree.get(path=path, schema="newick")
    label = lambda node: node.taxon.label if node.taxon else node.label
    nodes = [node for node in tree.preorder_node_iter() if node.parent_node]
    same({(label(node), label(node.parent_node)) for node in nodes}, truth.edges, path)
    posterior = {label(node): node.annotations.get_value("posterior") for node in nodes}
    found = {name: float(value) for name, value in posterior.items() if value is not None}
    same(found, truth.certainty, f"{path}: posterior")


def newick_samples(path, truth):
    first, second = dendropy.TreeList.get(path=path, schema="newick")
    for tree, leaves in ((first, None), (second, len(truth.concepts))):
        same(sum(1 for _ in tree.preorder_node_iter()), len(truth.concepts) + 1, path)
        same(leaves or len(tree.leaf_nodes()), len(tree.leaf_nodes()), path)


def obo(path, truth):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ontology = pronto.Ontology(path, encoding="utf-8")
    if truth.relation == "is-a":
        above = lambda term: term.superclasses(distance=1, with_self=False)
    else:
        part_of = ontology.get_relationship("part_of")
        above = lambda term: term.relationships[part_of] if part_of in term.relationships else []
    same({(term.name, parent.name) for term in ontology.terms() for parent in above(term)}, truth.edges, path)
    for term in ontology.terms():
        concept = truth.concepts.get(term.name, {})
        same(term.definition and str(term.definition), concept.get("definition"), path)
        same({s.description for s in term.synonyms}, set(concept.get("synonyms", [])), path)


def pronto_reads_owl(path, truth):
    with warnings.catch_warnings():
        # It says that it passes over annotation properties and annotated axioms, which are good OWL.
        warnings.simplefilter("ignore")
        ontology = pronto.Ontology(path, encoding="utf-8")
    pairs = {(t.name, p.name) for t in ontology.terms() for p in t.superclasses(distance=1, with_self=False)}
    same(pairs, truth.edges, path)


def dot(path, truth):
    out = subprocess.run(["dot", "-Tsvg", path], capture_output=True, text=True, check=True)
    same(out.stderr, "", f"{path}: dot's complaints")
    # Its drawing tells what a reader sees: the decoded labels, and edges by node name.
    groups = ElementTree.fromstring(out.stdout).iter("{http://www.w3.org/2000/svg}g")
    label, edges = {}, set()
    for group in groups:
        title = group.findtext("{http://www.w3.org/2000/svg}title")
        if group.get("class") == "node":
            # GraphViz writes a space as a no-break space.
            label[title] = group.findtext("{http://www.w3.org/2000/svg}text").replace("\u00a0", " ")
        elif group.get("class") == "edge":
            dashes = [p.get("stroke-dasharray") for p in group.iter("{http://www.w3.org/2000/svg}path")]
            if dashes != ["1,5"]:
                edges.add(tuple(title.split("->")))
    same({(label[child], label[parent]) for parent, child in edges}, truth.edges, path)


def node_link(path, truth):
    data = json.loads(path.read_text("utf-8"))
    graph = networkx.node_link_graph(data, edges="edges")
    assert networkx.is_arborescence(graph), path
    name = networkx.get_node_attributes(graph, "name")
    same({(name[child], name[parent]) for parent, child in graph.edges}, truth.edges, path)
    found = {name[c]: data["certainty"] for _, c, data in graph.edges(data=True) if data["certainty"] is not None}
    same(found, truth.certainty, path)


def without_apostrophe(cell):
    """What a spreadsheet shows of a cell that an apostrophe keeps from being a formula."""
    return cell[1:] if re.match(r"'+[=+\-@\t\r]", cell) else cell


def edges_csv(path, truth):
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    rows = [{key: without_apostrophe(cell or "") for key, cell in row.items()} for row in rows]
    same({(row["child"], row["parent"]) for row in rows}, truth.edges, path)
    same({row["child"]: float(row["certainty"]) for row in rows if row["certainty"]}, truth.certainty, path)


def sssom(path, truth):
    lines = path.read_text("utf-8").splitlines(keepends=True)
    header = [line[1:] for line in lines if line.startswith("#")]
    keys = {line.split(":")[0] for line in header if not line.startswith(" ")}
    same(keys, {"curie_map", "mapping_set_id", "mapping_set_title", "license"}, path)
    rows = list(csv.DictReader(lines[len(header):], delimiter="\t"))
    same({(row["subject_label"], row["object_label"]) for row in rows}, truth.edges, path)
    prefixes = {line.split(":")[0].strip() for line in header if line.startswith(" ")}
    ids = {row[column] for row in rows for column in ("subject_id", "predicate_id", "object_id")}
    assert {identifier.split(":")[0] for identifier in ids} <= prefixes, path


def svg(path, truth):
    tree = ElementTree.parse(path)
    titles = [t.text for g in tree.iter("{http://www.w3.org/2000/svg}g") for t in g if t.tag.endswith("title")]
    same(len(titles), len(truth.concepts) + 1, path)
    assert all(any(title.startswith(name) for title in titles) for name in list(truth.concepts)[:50]), path


class Page(HTMLParser):
    """The tags of a page, and the rows of its table."""

    def __init__(self):
        super().__init__()
        self.tags, self.rows, self.cell = set(), [], None

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        if tag == "bdi" and self.rows:
            self.cell = ""

    def handle_data(self, data):
        if self.cell is not None:
            self.cell += data

    def handle_endtag(self, tag):
        if tag == "bdi" and self.cell is not None:
            self.rows[-1].append(self.cell)
            self.cell = None


def html(path, truth):
    page = Page()
    page.feed(path.read_text("utf-8"))
    same({(row[0], row[1]) for row in page.rows if row}, truth.edges, path)
    assert not page.tags & {"script", "img", "link", "iframe"}, path


CHECKS = [
    ("ttl", skos),
    ("rdf", skos),
    ("jsonld", skos),
    ("owl", owl),
    ("owl.ttl", owl),
    ("nwk", newick),
    ("samples.nwk", newick_samples),
    ("obo", obo),
    ("dot", dot),
    ("nodelink.json", node_link),
    ("csv", edges_csv),
    ("sssom.tsv", sssom),
    ("svg", svg),
    ("html", html),
]


def sees_a_fault(check, path, truth):
    """That a check fails where it should: one that cannot fail tells nothing."""
    try:
        check(path, truth.planted())
    except (AssertionError, KeyError, SystemExit):
        return
    raise SystemExit(f"{path}: the check does not see a planted fault")


def main(folder):
    for name in ("odd", "parts", "large"):
        file = lambda ending: folder / f"{name}.{ending}"
        truth = Truth(file("json"))
        for ending, check in CHECKS:
            check(file(ending), truth)
            if name == "odd":
                sees_a_fault(check, file(ending), truth)
        for ending in ("ttl", "rdf"):
            skosify_is_silent(file(ending))
        if truth.relation == "is-a":
            pronto_reads_owl(file("owl"), truth)
        if name == "odd":
            skosify_is_heard(file("ttl"))
        print(f"{name}: {len(truth.concepts)} concepts read back from every format")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
