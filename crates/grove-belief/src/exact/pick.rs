use rand::{Rng, RngExt};

use super::inside::Pick;

const SOME: &str =
    "corrections are only kept if some tree fulfils them, so there is an alternative of positive weight";

/// Picks by chance, in proportion to the shares. One draw.
pub(super) struct ByChance<'a>(pub(super) &'a mut dyn Rng);

impl Pick for ByChance<'_> {
    fn pick<T: Copy>(&mut self, options: impl Iterator<Item = (T, f64)>) -> T {
        let mut left: f64 = self.0.random();
        let mut last = None;
        for (option, share) in options {
            if share > 0.0 {
                left -= share;
                last = Some(option);
                if left < 0.0 {
                    break;
                }
            }
        }
        // The shares may sum to a rounding error less than one.
        last.expect(SOME)
    }
}

/// Picks the best: the one whose share is all, when totals are maxima. Of several, the first.
pub(super) struct TheBest;

/// Equal products multiplied in different orders differ by rounding; what is closer to the best than this is a tie.
const TIE: f64 = 1e-12;

impl Pick for TheBest {
    fn pick<T: Copy>(&mut self, mut options: impl Iterator<Item = (T, f64)>) -> T {
        options.find(|&(_, share)| share >= 1.0 - TIE).expect(SOME).0
    }
}
