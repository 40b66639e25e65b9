"""Ask the question that tells most, again and again."""

from taxogrove import Crowd, Question, infer


def main() -> None:
    """Learns a hierarchy from simulated people."""
    crowd = Crowd("food", people=15, rates="qualified", seed=1)
    result = infer(crowd.concepts, root=crowd.root)
    for turn in range(100):
        person = turn % len(crowd)
        question: Question = result.next_questions(1, worker=f"person {person}")[0]
        result.record(crowd.answer(question, person))
    right = sum(crowd.truth[edge.child] == edge.parent for edge in result.edges())
    print(f"{right} of {len(result)} parents right after 100 votes")
    for worker in result.workers()[:3]:
        print(f"{worker.worker}: says yes to {worker.yes_when_above.mean:.0%} of true statements, {worker.verdict}")


if __name__ == "__main__":
    main()
