//! Means, quantiles and other statistics of runs.

/// The mean; none of no values.
pub(crate) fn mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let values: Vec<f64> = values.into_iter().collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The standard error of a mean: the sample's standard deviation over the root of its size. None of fewer than two.
pub(crate) fn standard_error(values: &[f64]) -> Option<f64> {
    let (mean, count) = (mean(values.iter().copied())?, values.len() as f64);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (values.len() > 1).then(|| (squares / (count - 1.0) / count).sqrt())
}

/// The quantile, interpolated linearly between the sorted values; infinite values stay infinite. None of no values.
pub(crate) fn quantile(values: impl IntoIterator<Item = f64>, at: f64) -> Option<f64> {
    let mut sorted: Vec<f64> = values.into_iter().collect();
    sorted.sort_by(f64::total_cmp);
    let place = at * sorted.len().checked_sub(1)? as f64;
    let (low, high) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    let part = place.fract();
    Some(if part == 0.0 { low } else { low + part * (high - low) })
}

/// The median; none of no values.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    quantile(values, 0.5)
}

/// The median of what some runs did not reach: those count as later than any other.
pub(crate) fn median_reached(values: impl IntoIterator<Item = Option<f64>>) -> Option<f64> {
    median(values.into_iter().map(|value| value.unwrap_or(f64::INFINITY)))
}

/// The different values, in the order of their first occurrence.
pub(crate) fn distinct<T: PartialEq>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut distinct = Vec::new();
    for value in values {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    distinct
}

/// The different values in ascending order.
pub(crate) fn sorted<T: PartialOrd>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut sorted = distinct(values);
    sorted.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    sorted
}

/// P(chi-square with an odd number of degrees of freedom > x) = 1 - P(a, x/2), a = degrees/2, by the series of the incomplete gamma function:
/// P(a, y) = y^a e^-y / Gamma(a + 1) * sum over n of y^n / ((a+1) ... (a+n)).
pub(crate) fn chi_square_tail(x: f64, degrees: usize) -> f64 {
    assert!(!degrees.is_multiple_of(2), "Gamma is known for half-integers");
    let (a, y) = (degrees as f64 / 2.0, x / 2.0);
    // Gamma(a + 1) from Gamma(1/2) = sqrt(pi).
    let gamma: f64 =
        (0..degrees.div_ceil(2)).map(|step| step as f64 + 0.5).product::<f64>() * std::f64::consts::PI.sqrt();
    let (mut term, mut sum) = (1.0, 1.0);
    for n in 1..2_000 {
        term *= y / (a + f64::from(n));
        sum += term;
    }
    (1.0 - y.powf(a) * (-y).exp() / gamma * sum).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        let values = [4.0, 1.0, 2.0, 3.0];
        assert_eq!((mean(values), median(values)), (Some(2.5), Some(2.5)));
        assert_eq!(quantile(values, 0.9), Some(3.7));
        // Squares of 1.5, 1.5, 0.5 and 0.5 sum to 5; 5/3/4 = 0.41667.
        assert!((standard_error(&values).unwrap() - 0.645_497).abs() < 1e-6);
        assert_eq!((mean([]), median([]), standard_error(&[1.0])), (None, None, None));
        assert_eq!(median([1.0, 2.0, f64::INFINITY]), Some(2.0));
        assert_eq!(median_reached([Some(1.0), None, None]), Some(f64::INFINITY));
        assert_eq!(sorted([3, 1, 3, 2]), [1, 2, 3]);
    }

    #[test]
    fn agrees_with_tables_of_chi_square() {
        for (x, p) in [(8.343, 0.5), (16.919, 0.05), (27.877, 0.001)] {
            assert!((chi_square_tail(x, 9) - p).abs() < 1e-4 * p.max(0.1), "{x}: {}", chi_square_tail(x, 9));
        }
    }
}
