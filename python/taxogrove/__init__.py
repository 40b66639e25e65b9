"""From people's votes to a hierarchy of concepts, with its certainty on every edge.

* :func:`infer` turns votes (rows, frames, files) into a :class:`Result`: the hierarchy, who differs, what to ask next.
* :class:`EdgeWeights` is a distribution over all trees by one weight per edge: log Z, marginals, entropy, sampling, best tree, fit.
* :class:`Crowd` simulates people; :class:`Client` talks to a running server.
* The program ``grove`` is installed with the package.
"""

from ._client import Campaign, Client, Worker as WorkClient
from ._crowd import Crowd
from ._errors import GroveError, InputError, InternalError, ServerError
from ._infer import infer, load
from ._native import EdgeWeights, Fit, __version__, best_tree, datasets as _datasets, formats as _formats
from ._result import Result
from ._values import Edge, Opinion, Parent, People, Place, Question, Rate, Worker

#: The formats of ``Result.export``: name to file ending.
FORMATS: dict[str, str] = {name: ending for name, ending, _ in _formats()}
#: The built-in hierarchies of ``Crowd``.
DATASETS: tuple[str, ...] = tuple(_datasets())

__all__ = [
    "DATASETS",
    "FORMATS",
    "Campaign",
    "Client",
    "Crowd",
    "Edge",
    "EdgeWeights",
    "Fit",
    "GroveError",
    "InputError",
    "InternalError",
    "Opinion",
    "Parent",
    "People",
    "Place",
    "Question",
    "Rate",
    "Result",
    "ServerError",
    "WorkClient",
    "Worker",
    "__version__",
    "best_tree",
    "infer",
    "load",
]

for _class in (Campaign, Client, Crowd, Edge, Opinion, Parent, People, Place, Question, Rate, Result, WorkClient, Worker):
    # Shown, and pickled, under the name by which users import them.
    _class.__module__ = "taxogrove"
del _class
