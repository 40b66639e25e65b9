//! Constant-time draws from fixed discrete distributions.

use rand::Rng;

use crate::Concept;

/// One discrete distribution per concept over its parents `0..=N`, for draws that take one random number and one look-up.
///
/// Walker's alias method (1977), tables by Vose's algorithm (1991): each slot holds at most two outcomes.
#[derive(Clone, Debug)]
pub(super) struct AliasTables {
    width: usize,
    /// The slots of concept `j` begin at `(j - 1) * width`.
    slots: Vec<Slot>,
}

/// A slot yields its own parent with a probability of `threshold` / 2^64, and the other one otherwise.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    threshold: u64,
    own: Concept,
    other: Concept,
}

impl AliasTables {
    /// Builds tables with `width` outcomes each. Every row holds non-negative weights, at least one of them positive.
    pub(super) fn new(width: usize, rows: impl Iterator<Item = Vec<f64>>) -> Self {
        let slots = rows.flat_map(|weights| build(&weights)).collect();
        Self { width, slots }
    }

    /// Draws the parent of a concept. One random number.
    #[inline]
    pub(super) fn draw(&self, concept: usize, rng: &mut impl Rng) -> Concept {
        // The high half of the product is a uniform slot, the low half a uniform place within it.
        let product = u128::from(rng.next_u64()) * self.width as u128;
        let (slot, place) = ((product >> 64) as usize, product as u64);
        let Slot { threshold, own, other } = self.slots[(concept - 1) * self.width + slot];
        // The processor would mispredict a branch half of the time.
        std::hint::select_unpredictable(place < threshold, own, other)
    }
}

fn build(weights: &[f64]) -> Vec<Slot> {
    let total: f64 = weights.iter().sum();
    let scale = weights.len() as f64 / total;
    let mut heights: Vec<f64> = weights.iter().map(|weight| weight * scale).collect();
    let heaviest = (0..weights.len()).max_by(|&a, &b| weights[a].total_cmp(&weights[b])).unwrap_or(0);
    // If rounding leaves a slot unpaired, an outcome of weight zero must still never be drawn.
    let mut slots: Vec<Slot> = weights
        .iter()
        .enumerate()
        .map(|(own, &weight)| Slot {
            threshold: if weight > 0.0 { u64::MAX } else { 0 },
            own: Concept::new(own),
            other: Concept::new(heaviest),
        })
        .collect();

    let (mut low, mut high): (Vec<usize>, Vec<usize>) = (0..weights.len()).partition(|&at| heights[at] < 1.0);
    while let (Some(&lower), Some(&higher)) = (low.last(), high.last()) {
        low.pop();
        slots[lower].threshold = (heights[lower] * 2.0_f64.powi(64)) as u64;
        slots[lower].other = Concept::new(higher);
        heights[higher] -= 1.0 - heights[lower];
        if heights[higher] < 1.0 {
            high.pop();
            low.push(higher);
        }
    }
    slots
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The probabilities that the slots of one table encode.
    fn probabilities(weights: &[f64]) -> Vec<f64> {
        let mut found = vec![0.0; weights.len()];
        for (at, slot) in build(weights).iter().enumerate() {
            let own = slot.threshold as f64 / 2.0_f64.powi(64);
            found[at] += own / weights.len() as f64;
            found[slot.other.index()] += (1.0 - own) / weights.len() as f64;
        }
        found
    }

    #[test]
    fn slots_add_up_to_the_weights() {
        for weights in
            [vec![1.0], vec![0.0, 2.0, 0.0], vec![1e-12, 1.0, 0.5, 1e-3], vec![0.1; 10], vec![0.0, 1.0, 3.0]]
        {
            let total: f64 = weights.iter().sum();
            for (weight, found) in weights.iter().zip(probabilities(&weights)) {
                assert!((weight / total - found).abs() <= 1e-15, "{weights:?}");
                assert!(*weight > 0.0 || found == 0.0, "{weights:?}");
            }
        }
    }
}
