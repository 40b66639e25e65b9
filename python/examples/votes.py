"""From a frame of votes to a hierarchy."""

import pandas as pd

import taxogrove


def main() -> None:
    """Infers the hierarchy of a few foods."""
    votes = pd.DataFrame(
        [
            ("ann", "fruit", "lime", "yes"),
            ("bob", "fruit", "lime", "yes"),
            ("ann", "drink", "soda", "yes"),
            ("bob", "fruit", "soda", "no"),
            ("cem", "drink", "lime", "no"),
        ],
        columns=["worker", "upper", "lower", "answer"],
    )
    result = taxogrove.infer(["fruit", "drink", "lime", "soda"], votes, root="food")
    print(result)
    for edge in result.edges():
        print(f"{edge.child}: {edge.parent} at {edge.certainty:.2f}, {', '.join(edge.reason)}")
    chance: float = result.path("fruit", "lime")
    likeliest, certainty = result.parents("soda")[0]
    print(f"fruit above lime: {chance:.2f}; soda under {likeliest}: {certainty:.2f}")


if __name__ == "__main__":
    main()
