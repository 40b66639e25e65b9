//! The two arithmetics in which the elimination runs: plain numbers, and their logarithms.

use pulp::Simd;

use super::product::{Band, InVectors};

/// A tile's side: matrices are cut into blocks of this many rows and columns.
pub(super) const TILE: usize = 8;

/// Sums and products of non-negative numbers in some representation. There is no subtraction.
pub(super) trait Arithmetic: Copy {
    /// The representation of 0.
    const ZERO: f64;
    /// The representation of 1.
    const ONE: f64;

    fn add(a: f64, b: f64) -> f64;
    fn multiply(a: f64, b: f64) -> f64;
    /// 1 / a, for numbers above zero.
    fn reciprocal(a: f64) -> f64;
    /// a * b + c
    fn multiply_add(a: f64, b: f64, c: f64) -> f64;
    /// The natural logarithm of the number represented.
    fn ln(a: f64) -> f64;
    /// The representation of a number.
    fn of(value: f64) -> f64;
    /// The number represented.
    fn value(a: f64) -> f64;
    /// Replaces logarithms, none above zero, by the representation of their exponentials.
    fn exponentiate(self, logarithms: &mut [f64]);
    /// Makes probabilities that should sum to one do so, where rounding of their representation may have prevented it.
    fn normalize(probabilities: &mut [f64]);
    /// Runs a kernel with the widest vectors the processor has.
    fn vectorize<R>(self, kernel: impl FnOnce() -> R) -> R;
    /// Adds a product to a band of rows. `packed` is memory that may be used.
    fn accumulate(self, band: Band<'_>, packed: &mut Vec<f64>);
}

/// Numbers as they are. Fast, and right as long as no term that matters is below the smallest double.
#[derive(Clone, Copy)]
pub(super) struct Linear<S>(pub(super) S);

impl<S: Simd> Arithmetic for Linear<S> {
    const ZERO: f64 = 0.0;
    const ONE: f64 = 1.0;

    #[inline(always)]
    fn add(a: f64, b: f64) -> f64 {
        a + b
    }

    #[inline(always)]
    fn multiply(a: f64, b: f64) -> f64 {
        a * b
    }

    #[inline(always)]
    fn reciprocal(a: f64) -> f64 {
        1.0 / a
    }

    #[inline(always)]
    fn multiply_add(a: f64, b: f64, c: f64) -> f64 {
        a.mul_add(b, c)
    }

    fn ln(a: f64) -> f64 {
        a.ln()
    }

    #[inline(always)]
    fn of(value: f64) -> f64 {
        value
    }

    #[inline(always)]
    fn value(a: f64) -> f64 {
        a
    }

    fn exponentiate(self, logarithms: &mut [f64]) {
        self.vectorize(
            #[inline(always)]
            || super::exponential::exponentiate(logarithms),
        );
    }

    #[inline(always)]
    fn normalize(_probabilities: &mut [f64]) {}

    #[inline(always)]
    fn vectorize<R>(self, kernel: impl FnOnce() -> R) -> R {
        self.0.vectorize(kernel)
    }

    fn accumulate(self, band: Band<'_>, packed: &mut Vec<f64>) {
        self.0.vectorize(InVectors { band, packed });
    }
}

/// Natural logarithms: any dynamic range, about a hundred times slower.
#[derive(Clone, Copy)]
pub(super) struct Logarithmic;

impl Arithmetic for Logarithmic {
    const ZERO: f64 = f64::NEG_INFINITY;
    const ONE: f64 = 0.0;

    fn add(a: f64, b: f64) -> f64 {
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        if low == f64::NEG_INFINITY { high } else { high + (low - high).exp().ln_1p() }
    }

    fn multiply(a: f64, b: f64) -> f64 {
        a + b
    }

    fn reciprocal(a: f64) -> f64 {
        -a
    }

    fn multiply_add(a: f64, b: f64, c: f64) -> f64 {
        Self::add(a + b, c)
    }

    fn ln(a: f64) -> f64 {
        a
    }

    fn of(value: f64) -> f64 {
        value.ln()
    }

    fn value(a: f64) -> f64 {
        a.exp()
    }

    fn exponentiate(self, _logarithms: &mut [f64]) {}

    /// A logarithm of 1e11 is known to 1e-5 only, and so is the number that it represents.
    fn normalize(probabilities: &mut [f64]) {
        let total: f64 = probabilities.iter().sum();
        probabilities.iter_mut().for_each(|probability| *probability /= total);
    }

    fn vectorize<R>(self, kernel: impl FnOnce() -> R) -> R {
        kernel()
    }

    fn accumulate(self, band: Band<'_>, _packed: &mut Vec<f64>) {
        band.accumulate::<Self>();
    }
}
