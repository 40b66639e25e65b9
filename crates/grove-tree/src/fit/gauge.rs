use super::objective::Objective;

/// Adds to all log-weights into each child the constant that minimises their penalty.
///
/// Such a constant changes no probability, and the objective only by the penalty, so this step needs no elimination.
/// The least sum of beta_i |lambda_i + c| is at minus a weighted median of the lambdas. O(N^2 log N).
pub(super) fn recentre(objective: &Objective, log_weights: &mut [f64]) {
    for column in &objective.columns {
        let median = median_nearest_zero(&log_weights[column.clone()], &objective.shrinkage[column.clone()]);
        for log_weight in &mut log_weights[column.clone()] {
            *log_weight -= median;
        }
    }
}

/// The weighted median, and of an interval of medians the value nearest zero. Zero without weights.
fn median_nearest_zero(values: &[f64], weights: &[f64]) -> f64 {
    let mut pairs: Vec<(f64, f64)> =
        values.iter().copied().zip(weights.iter().copied()).filter(|&(_, weight)| weight > 0.0).collect();
    pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let half = pairs.iter().map(|pair| pair.1).sum::<f64>() / 2.0;
    let (mut low, mut high) = (None, None);
    let mut below = 0.0;
    for (value, weight) in pairs {
        below += weight;
        if below >= half {
            low = low.or(Some(value));
        }
        if below > half {
            high = high.or(Some(value));
        }
    }
    let low = low.unwrap_or(0.0);
    0.0_f64.clamp(low, high.unwrap_or(low))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_median_nearest_zero() {
        assert_eq!(median_nearest_zero(&[3.0, 1.0, 2.0], &[1.0; 3]), 2.0);
        assert_eq!(median_nearest_zero(&[3.0, 1.0, 2.0, -5.0], &[1.0; 4]), 1.0);
        assert_eq!(median_nearest_zero(&[-3.0, 4.0], &[0.1; 2]), 0.0);
        assert_eq!(median_nearest_zero(&[-3.0, -4.0], &[0.1; 2]), -3.0);
        assert_eq!(median_nearest_zero(&[1.0, 2.0, 9.0], &[1.0, 1.0, 3.0]), 9.0);
        assert_eq!(median_nearest_zero(&[1.0, 2.0], &[0.0; 2]), 0.0);
    }
}
