//! The exponential function over slices, in operations that every processor rounds in the same way.
//!
//! The system's own `exp` is not the same on every platform and is called once per number; this one gives the same bits
//! everywhere and is turned into vector instructions by the compiler.

/// Below this the result is a subnormal double, which is taken as zero.
const SMALLEST: f64 = -708.0;

/// Adding it rounds a small number to an integer, which is then in the lowest bits.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// ln 2 in two parts: the first has trailing zeros, so that its product with a small integer is exact.
const LN_2_HIGH: f64 = f64::from_bits(0x3FE6_2E42_FEFA_3800);
const LN_2_LOW: f64 = f64::from_bits(0x3D2E_F357_93C7_6730);

/// 1/k! for k = 13 down to 2: on |r| <= ln(2)/2 the rest of the series is below 2^-57 of the result.
const INVERSE_FACTORIALS: [f64; 12] = [
    1.0 / 6_227_020_800.0,
    1.0 / 479_001_600.0,
    1.0 / 39_916_800.0,
    1.0 / 3_628_800.0,
    1.0 / 362_880.0,
    1.0 / 40_320.0,
    1.0 / 5_040.0,
    1.0 / 720.0,
    1.0 / 120.0,
    1.0 / 24.0,
    1.0 / 6.0,
    1.0 / 2.0,
];

/// Replaces each number, none above zero, by its exponential.
#[inline(always)]
pub(super) fn exponentiate(values: &mut [f64]) {
    // One plain loop: in chunks of eight, the compiler gathers every eighth number into a vector, which takes twice as long.
    for value in values {
        *value = exp(*value);
    }
}

/// e^x = 2^n e^r with n = round(x / ln 2) and |r| <= ln(2)/2, the latter by Taylor's series.
#[inline(always)]
fn exp(x: f64) -> f64 {
    let shifted = x.mul_add(std::f64::consts::LOG2_E, ROUND);
    let n = shifted - ROUND;
    let r = n.mul_add(-LN_2_LOW, n.mul_add(-LN_2_HIGH, x));
    let mut series = INVERSE_FACTORIALS[0];
    for coefficient in &INVERSE_FACTORIALS[1..] {
        series = series.mul_add(r, *coefficient);
    }
    let power = (r * r).mul_add(series, r) + 1.0;
    let scale = f64::from_bits((shifted.to_bits() << 52).wrapping_add(1.0_f64.to_bits()));
    if x < SMALLEST { 0.0 } else { power * scale }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_system_to_two_units_in_the_last_place() {
        let inputs: Vec<f64> = (0..70_801).map(|step| -0.01 * f64::from(step)).collect();
        let mut ours = inputs.clone();
        exponentiate(&mut ours);
        for (x, ours) in inputs.into_iter().zip(ours) {
            let theirs = x.exp();
            assert!((ours - theirs).abs() <= 2.0 * f64::EPSILON * theirs, "exp({x}) = {theirs}, not {ours}");
        }
    }

    #[test]
    fn forbidden_edges_become_zero() {
        let mut values = [0.0, f64::NEG_INFINITY, -1e100, -708.1];
        exponentiate(&mut values);
        assert_eq!(values, [1.0, 0.0, 0.0, 0.0]);
    }
}
