//! Edge probabilities of weights on standard input, for scripts that compare them with other programs.
//!
//! Reads N and then N rows (children) of N+1 log-weights (parents, the root first; the own entry is ignored), all separated by white
//! space; "-inf" forbids an edge. Writes log Z on one line and then N rows of N+1 probabilities. Several problems may follow
//! each other.

use std::io::{Read, Write, stdin, stdout};

use grove_tree::EdgeWeights;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut input = String::new();
    stdin().read_to_string(&mut input)?;
    let mut words = input.split_whitespace();
    let mut output = stdout().lock();
    while let Some(count) = words.next() {
        let count: usize = count.parse()?;
        let values: Vec<f64> =
            words.by_ref().take(count * (count + 1)).map(str::parse).collect::<Result<_, _>>()?;
        if values.len() != count * (count + 1) {
            return Err(format!("{count} concepts need {} log-weights", count * (count + 1)).into());
        }
        let weights = EdgeWeights::from_fn(count, |parent, child| {
            values[(child.index() - 1) * (count + 1) + parent.index()]
        })?;
        let marginals = weights.marginals()?;
        writeln!(output, "{:e}", marginals.log_partition())?;
        for child in weights.concepts() {
            let row: Vec<String> = marginals.incoming(child).iter().map(|p| format!("{p:e}")).collect();
            writeln!(output, "{}", row.join(" "))?;
        }
    }
    Ok(())
}
