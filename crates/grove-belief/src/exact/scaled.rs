use std::ops::Mul;

/// A number that is zero or positive, however large or small: mantissa * 2^(256 exponent), the mantissa from 2^-128 to 2^128.
///
/// Ten thousand votes move a weight by tens of thousands of nats, far beyond the range of an f64. Logarithms would do too, but
/// need an exponential for every sum, and lose digits as they grow; scaling by powers of two loses none. (Fukushima's numbers
/// with an extended exponent, 2012.)
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub(super) struct Scaled {
    // First, so that the derived order is that of the values.
    exponent: i64,
    mantissa: f64,
}

/// 2^(256 steps) for steps -3 to 3: what is further apart does not show in a sum.
const POWERS: [f64; 7] = [power(-768), power(-512), power(-256), 1.0, power(256), power(512), power(768)];
const FURTHEST: i64 = 3;
const LN_RADIX: f64 = 256.0 * std::f64::consts::LN_2;

/// 2^n, for n within the exponents of an f64.
const fn power(n: i64) -> f64 {
    f64::from_bits(((1023 + n) as u64) << 52)
}

impl Scaled {
    /// Its exponent is far below all others, and can be added to another without leaving 64 bits.
    pub(super) const ZERO: Self = Self { exponent: i64::MIN / 8, mantissa: 0.0 };
    pub(super) const ONE: Self = Self { exponent: 0, mantissa: 1.0 };

    /// e^`log`, for a finite number.
    pub(super) fn exp(log: f64) -> Self {
        let steps = (log / LN_RADIX).round();
        // The cast saturates, so that products of a few hundred such numbers stay within 64 bits.
        Self { exponent: i64::from(steps as i32), mantissa: (log - steps * LN_RADIX).exp() }.normal()
    }

    /// The natural logarithm; of a positive number.
    pub(super) fn ln(self) -> f64 {
        self.mantissa.ln() + self.exponent as f64 * LN_RADIX
    }

    pub(super) fn is_zero(self) -> bool {
        self.mantissa == 0.0
    }

    /// As a plain number, of one that is known to be at most about one.
    pub(super) fn value(self) -> f64 {
        Self::share(self, Self::ONE, Self::ONE)
    }

    /// 1 / self, and 0 for 0: for dividing parts by a whole that may be empty.
    pub(super) fn inverse(self) -> Self {
        if self.is_zero() {
            return Self::ZERO;
        }
        Self { exponent: -self.exponent, mantissa: self.mantissa.recip() }.normal()
    }

    /// The product of three numbers that is known to be at most about one.
    pub(super) fn share(one: Self, two: Self, three: Self) -> f64 {
        let mantissa = one.mantissa * two.mantissa * three.mantissa;
        let exponent = one.exponent + two.exponent + three.exponent;
        if exponent < -FURTHEST { 0.0 } else { mantissa * POWERS[(exponent + FURTHEST) as usize] }
    }

    /// Brings a mantissa between 2^-384 and 2^384 back into bounds.
    fn normal(self) -> Self {
        if self.mantissa >= power(128) {
            Self { exponent: self.exponent + 1, mantissa: self.mantissa * power(-256) }
        } else if self.mantissa >= power(-128) {
            self
        } else if self.mantissa == 0.0 {
            Self::ZERO
        } else {
            Self { exponent: self.exponent - 1, mantissa: self.mantissa * power(256) }
        }
    }
}

impl Mul for Scaled {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self { exponent: self.exponent + other.exponent, mantissa: self.mantissa * other.mantissa }.normal()
    }
}

/// A way to combine alternatives, each the product of two independent parts.
pub(super) trait Pool {
    fn pool(products: impl Iterator<Item = (Scaled, Scaled)>) -> Scaled;
}

/// Adds them up.
pub(super) struct Total;

impl Pool for Total {
    /// The inner loop of everything: brought into bounds once, at the end. Mantissas of products stay within 2^256, and sums
    /// of fewer than 2^64 of them within 2^320.
    #[inline]
    fn pool(products: impl Iterator<Item = (Scaled, Scaled)>) -> Scaled {
        let (mut exponent, mut sum) = (Scaled::ZERO.exponent, 0.0);
        products.for_each(|(one, other)| {
            let (mantissa, apart) = (one.mantissa * other.mantissa, one.exponent + other.exponent - exponent);
            if apart == 0 {
                sum += mantissa;
            } else if apart > 0 {
                let shrunk = if apart > FURTHEST { 0.0 } else { sum * POWERS[(FURTHEST - apart) as usize] };
                (exponent, sum) = (exponent + apart, shrunk + mantissa);
            } else if apart >= -FURTHEST {
                sum += mantissa * POWERS[(FURTHEST + apart) as usize];
            }
        });
        Scaled { exponent, mantissa: sum }.normal()
    }
}

/// Keeps the largest.
pub(super) struct Largest;

impl Pool for Largest {
    #[inline]
    fn pool(products: impl Iterator<Item = (Scaled, Scaled)>) -> Scaled {
        products
            .map(|(one, other)| one * other)
            .fold(Scaled::ZERO, |most, next| if next > most { next } else { most })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn total<const N: usize>(terms: [Scaled; N]) -> Scaled {
        Total::pool(terms.map(|term| (term, Scaled::ONE)).into_iter())
    }

    #[test]
    fn agrees_with_plain_numbers() {
        for (a, b) in [(0.0, 1.0), (-3.0, 4.5), (300.0, 299.0), (-300.0, 1.0), (88.8, 88.7), (-88.8, -88.7)] {
            let (x, y) = (Scaled::exp(a), Scaled::exp(b));
            assert!(((x * y).ln() - (a + b)).abs() < 1e-12);
            assert!((total([x, y]).ln() - (a.exp() + b.exp()).ln()).abs() < 1e-12);
            assert_eq!(total([x, y]), total([y, x]));
            assert_eq!(x < y, a < b);
            assert_eq!(
                Largest::pool([(x, Scaled::ONE), (Scaled::ONE, y)].into_iter()),
                if a < b { y } else { x }
            );
            assert!((Scaled::share(x, y, (x * y).inverse()) - 1.0).abs() < 1e-14);
        }
    }

    #[test]
    fn holds_what_an_f64_cannot() {
        let (huge, tiny) = (Scaled::exp(70_000.0), Scaled::exp(-70_000.0));
        assert!(((huge * huge).ln() - 140_000.0).abs() < 1e-9);
        assert!((Scaled::share(huge, tiny, Scaled::ONE) - 1.0).abs() < 1e-10);
        assert_eq!(total([huge, tiny]), huge);
        assert_eq!(total([tiny, huge]), huge);
        let step = Scaled::exp(70_000.0 - 200.0);
        assert!((total([step, huge, step]).ln() - 70_000.0).abs() < 1e-9);
        assert_eq!(Scaled::share(tiny, tiny, huge), 0.0);
    }

    #[test]
    fn zero_stays_zero() {
        let half = Scaled::exp(0.5_f64.ln());
        assert_eq!(Scaled::ZERO * half, Scaled::ZERO);
        assert_eq!(Scaled::ZERO * Scaled::ZERO, Scaled::ZERO);
        assert_eq!(total([Scaled::ZERO, half]), half);
        assert_eq!(total([Scaled::ZERO, Scaled::ZERO]), Scaled::ZERO);
        assert_eq!(Scaled::ZERO.inverse(), Scaled::ZERO);
        assert!(Scaled::ZERO < Scaled::exp(-1e9));
        assert_eq!(Scaled::share(Scaled::ZERO, Scaled::ZERO, half), 0.0);
    }
}
