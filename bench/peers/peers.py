"""The peers. Each function takes (N+1) x (N+1) log-weights by [parent, child], root 0, and returns a
callable that does the work once (or draws `batch` trees), prepared as its library would have it prepared.
It raises Absent, with the reason, where the peer cannot take part."""

import math

import numpy as np


class Absent(Exception):
    pass


def need(module):
    try:
        return __import__(module, fromlist=["_"])
    except Exception as reason:  # an installed peer may still fail to load
        raise Absent(f"{module} does not load ({type(reason).__name__})") from reason


# log Z and all marginals


def laplacian(weights):
    """Koo et al. (2007): Z is its determinant."""
    linear = np.exp(weights)
    linear[:, 0] = 0
    return (np.diag(linear.sum(axis=0)) - linear)[1:, 1:]


def marginals_from_inverse(weights, inverse):
    linear = np.exp(weights)
    diagonal = np.diag(inverse)
    result = np.zeros_like(linear)
    result[0, 1:] = linear[0, 1:] * diagonal
    result[1:, 1:] = linear[1:, 1:] * (diagonal[None, :] - inverse.T)
    return result


def lapack(weights):
    """LU and inverse by LAPACK itself, the least overhead that scipy offers."""
    routines = need("scipy.linalg.lapack")
    matrix = np.asfortranarray(laplacian(weights))
    size = len(matrix)
    work = int(routines.dgetri_lwork(size)[0])

    def invert():
        factors, pivots, _ = routines.dgetrf(matrix)
        inverse, _ = routines.dgetri(factors, pivots, lwork=work, overwrite_lu=0)
        return factors, inverse

    return invert


def scipy_lu_solve(weights):
    linalg = need("scipy.linalg")
    matrix = np.asfortranarray(laplacian(weights))
    identity = np.eye(len(matrix), order="F")

    def invert():
        factors = linalg.lu_factor(matrix, check_finite=False)
        return factors[0], linalg.lu_solve(factors, identity, check_finite=False)

    return invert


def scipy_inv(weights):
    linalg = need("scipy.linalg")
    matrix = np.asfortranarray(laplacian(weights))

    def invert():
        factors = linalg.lu_factor(matrix, check_finite=False)
        return factors[0], linalg.inv(matrix, check_finite=False)

    return invert


def torch_struct(weights):
    """The root's weights stand on the diagonal there."""
    torch = need("torch")
    library = need("torch_struct")
    torch.set_num_threads(1)
    scores = weights[1:, 1:].copy()
    np.fill_diagonal(scores, weights[0, 1:])
    scores = torch.tensor(scores, dtype=torch.float64)[None]
    return lambda: library.NonProjectiveDependencyCRF(scores, multiroot=True).marginals


# Most probable tree


def ufal(weights):
    library = need("ufal.chu_liu_edmonds")
    scores = np.ascontiguousarray(weights.T)
    scores[0, :] = np.nan
    np.fill_diagonal(scores, np.nan)
    return lambda: library.chu_liu_edmonds(scores)[0]


def networkx(weights):
    library = need("networkx")
    size = len(weights)
    graph = library.DiGraph()
    # Its maximum may drop an edge of negative weight, so all are made positive: the best tree stays the same.
    lowest = weights[np.isfinite(weights)].min() - 1
    for child in range(1, size):
        for parent in range(size):
            if parent != child:
                graph.add_edge(parent, child, weight=weights[parent, child] - lowest)

    def best():
        heads = [0] * size
        for parent, child in library.maximum_spanning_arborescence(graph).edges:
            heads[child] = parent
        return heads

    return best


# Sampling


def synjax(algorithm):
    def prepare(weights, batch):
        library = need("synjax")
        jax = need("jax")
        potentials = np.where(np.isfinite(weights), weights, -1e5).astype(np.float32)
        distribution = library.SpanningTreeCRF(
            jax.numpy.asarray(potentials), directed=True, projective=False, single_root_edge=False
        )
        draw = jax.jit(lambda key: distribution.sample(key, batch, algorithm=algorithm).argmax(axis=-2))
        keys = iter(jax.random.split(jax.random.PRNGKey(0), 10_000))
        return lambda: np.asarray(draw(next(keys)))

    return prepare


def _numba_wilson(step):
    """Wilson's walk from every concept, its step drawn by `step(tables, u)`."""
    numba = need("numba")

    @numba.njit
    def draw(tables, batch, trees):
        size = trees.shape[1]
        for number in range(batch):
            tree = trees[number]
            inside = np.zeros(size, dtype=np.bool_)
            inside[0] = True
            for start in range(1, size):
                at = start
                while not inside[at]:
                    tree[at] = step(tables, at)
                    at = tree[at]
                at = start
                while not inside[at]:
                    inside[at] = True
                    at = tree[at]
        return trees

    return draw


def numba_gumbel(weights, batch):
    """The largest of log-weight plus Gumbel noise: the kind of step that synjax takes; a yardstick, not synjax itself."""
    numba = need("numba")

    @numba.njit
    def step(table, at):
        return np.argmax(table[at] + np.random.gumbel(0.0, 1.0, table.shape[1]))

    draw = _numba_wilson(step)
    table = np.ascontiguousarray(weights.T)
    trees = np.zeros((batch, len(weights)), dtype=np.int64)
    return lambda: draw(table, batch, trees)


def numba_cumulative(weights, batch):
    """A search in cumulative sums: what a careful Python programmer would compile."""
    numba = need("numba")

    @numba.njit
    def step(table, at):
        return np.searchsorted(table[at], np.random.random(), side="right")

    draw = _numba_wilson(step)
    linear = np.exp(weights.T)
    linear[0] = 1
    table = np.cumsum(linear, axis=1)
    table /= table[:, -1:]
    trees = np.zeros((batch, len(weights)), dtype=np.int64)
    return lambda: draw(table, batch, trees)


def log_determinant(factors):
    return math.fsum(np.log(np.abs(np.diag(factors))))
