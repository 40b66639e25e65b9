//! Thirty concepts against an inverse with 1,500 digits; `tests/reference/make_reference.py` made the numbers.

use grove_tree::EdgeWeights;

const REFERENCE: &str = include_str!("../reference/marginals.txt");
const COUNT: usize = 30;
const TOLERANCE: f64 = 1e-9;

#[test]
fn thirty_concepts_of_any_spread() {
    let lines: Vec<&str> = REFERENCE.lines().filter(|line| !line.starts_with('#')).collect();
    let cases = lines.chunks(2 * COUNT + 2);
    assert_eq!(cases.len(), 4);
    for case in cases {
        let numbers = |lines: &[&str]| -> Vec<f64> {
            lines.iter().flat_map(|line| line.split(' ')).map(|word| word.parse().unwrap()).collect()
        };
        let (name, log_weights) = (case[0], numbers(&case[1..=COUNT]));
        let (log_partition, probabilities) =
            (numbers(&case[COUNT + 1..COUNT + 2])[0], numbers(&case[COUNT + 2..]));

        let at = |parent: usize, child: usize| (child - 1) * (COUNT + 1) + parent;
        let weights =
            EdgeWeights::from_fn(COUNT, |parent, child| log_weights[at(parent.index(), child.index())])
                .unwrap();
        let marginals = weights.marginals().unwrap();
        for found in [marginals.log_partition(), weights.log_partition().unwrap()] {
            assert!((found / log_partition - 1.0).abs() <= TOLERANCE, "{name}: log Z {found}");
        }
        let found = weights.concepts().flat_map(|child| marginals.incoming(child));
        for (edge, (&found, expected)) in found.zip(probabilities).enumerate() {
            let allowed = TOLERANCE * if expected > 1e-100 { expected } else { 1.0 };
            assert!(
                (found - expected).abs() <= allowed,
                "{name}, edge {edge}: {found} instead of {expected}"
            );
        }
    }
}
