//! What simulated people and models know, and how they err.

use std::collections::BTreeMap;

/// A hierarchy by the names of its concepts, without case: every concept with the one that it is directly under, which is the root for those at the
/// top. The root is under nothing.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Truth(BTreeMap<String, String>);

/// Who answers, and how often they err. Their errors depend on that and on the question alone: asked again, they say the same.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Erring<'a> {
    pub(crate) who: &'a str,
    pub(crate) rate: f64,
}

/// No hierarchy is deeper; a loop in it ends here.
const DEEPEST: usize = 1_000;

impl FromIterator<(String, String)> for Truth {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(parents: I) -> Self {
        Self(parents.into_iter().map(|(lower, upper)| (lower.to_lowercase(), upper.to_lowercase())).collect())
    }
}

impl Truth {
    /// Whether there is a concept of this name; the root is none.
    #[must_use]
    pub fn knows(&self, concept: &str) -> bool {
        self.0.contains_key(&concept.to_lowercase())
    }

    /// The names of all concepts, and those that they are under.
    pub(crate) fn names(&self) -> impl Iterator<Item = &String> {
        self.0.keys().chain(self.0.values())
    }

    /// Everything above a concept, from below; the root is the last.
    fn above(&self, concept: &str) -> impl Iterator<Item = &String> {
        let first = self.0.get(&concept.to_lowercase());
        std::iter::successors(first, |at| self.0.get(*at)).take(DEEPEST)
    }

    /// How many concepts a concept is under, with the root.
    pub(crate) fn depth(&self, concept: &str) -> usize {
        self.above(concept).count()
    }

    /// The depth of the deepest concept.
    pub(crate) fn deepest(&self) -> usize {
        self.0.keys().map(|name| self.depth(name)).max().unwrap_or(0)
    }

    /// Whether one concept is above another.
    #[must_use]
    pub fn is_above(&self, upper: &str, lower: &str) -> bool {
        let upper = upper.to_lowercase();
        self.above(lower).any(|name| *name == upper)
    }

    /// Whether somebody says that one concept is above another.
    pub(crate) fn says_yes(&self, erring: Erring<'_>, upper: &str, lower: &str) -> bool {
        let (upper, lower) = (upper.to_lowercase(), lower.to_lowercase());
        self.is_above(&upper, &lower) != erring.errs(&format!("{upper}|{lower}"))
    }

    /// The position of the most specific option that somebody picks for a concept; none if they say that none is right.
    pub(crate) fn pick(&self, erring: Erring<'_>, lower: &str, options: &[String]) -> Option<usize> {
        let above = (0..options.len()).filter(|&at| self.is_above(&options[at], lower));
        let right = above.max_by_key(|&at| self.depth(&options[at]));
        let all = (0..options.len()).map(Some).chain([None]).collect();
        erring.choose(&format!("pick|{lower}|{}", options.join("|")), right, all)
    }

    /// The positions of the options that somebody ticks as being under a concept. `erring` is about each of them.
    pub(crate) fn tick<'a>(
        &self,
        erring: impl Fn(&str) -> Erring<'a>,
        upper: &str,
        options: &[String],
    ) -> Vec<usize> {
        let ticks = |&at: &usize| self.says_yes(erring(&options[at]), upper, &options[at]);
        (0..options.len()).filter(ticks).collect()
    }

    /// The concept that somebody places another directly under; none for the top.
    pub(crate) fn place(&self, erring: Erring<'_>, lower: &str) -> Option<String> {
        let lower = lower.to_lowercase();
        let right = self.0.get(&lower).filter(|parent| self.knows(parent)).cloned();
        let others = self.0.keys().filter(|name| **name != lower);
        let all = others.cloned().map(Some).chain([None]).collect();
        erring.choose(&format!("place|{lower}"), right, all)
    }
}

impl Erring<'_> {
    fn errs(&self, question: &str) -> bool {
        uniform(&format!("{}|{question}", self.who)) < self.rate
    }

    /// What is right, or if they err any of the others.
    fn choose<T: PartialEq>(&self, question: &str, right: T, mut all: Vec<T>) -> T {
        all.retain(|one| *one != right);
        if all.is_empty() || !self.errs(question) {
            return right;
        }
        let at = (uniform(&format!("{}|{question}|which", self.who)) * all.len() as f64) as usize;
        all.swap_remove(at.min(all.len() - 1))
    }
}

/// A number between 0 and 1 that depends on a text alone (FNV-1a, then the finisher of SplitMix64).
fn uniform(text: &str) -> f64 {
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    let hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((hash ^ (hash >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn food() -> Truth {
        let parents =
            [("fruit", "food"), ("citrus fruit", "fruit"), ("Lime", "citrus fruit"), ("cheese", "food")];
        parents.into_iter().map(|(lower, upper)| (lower.to_owned(), upper.to_owned())).collect()
    }

    fn options(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn without_errors_all_forms_are_answered_by_the_truth() {
        let (truth, sure) = (food(), Erring { who: "ann", rate: 0.0 });
        assert!(truth.says_yes(sure, "fruit", "lime") && !truth.says_yes(sure, "lime", "fruit"));
        let uppers = options(&["fruit", "cheese", "Citrus fruit"]);
        assert_eq!(truth.pick(sure, "lime", &uppers), Some(2));
        assert_eq!(truth.pick(sure, "cheese", &uppers), None);
        assert_eq!(truth.tick(|_| sure, "fruit", &options(&["cheese", "lime", "citrus fruit"])), [1, 2]);
        assert_eq!(truth.place(sure, "lime").as_deref(), Some("citrus fruit"));
        assert_eq!(truth.place(sure, "fruit"), None);
        assert!(truth.knows("LIME") && !truth.knows("food"));
    }

    #[test]
    fn errors_are_as_frequent_as_they_should_be_and_give_other_answers() {
        let (truth, uppers) = (food(), options(&["fruit", "cheese", "citrus fruit"]));
        let mut wrong = [0_u32; 3];
        for person in 0..4_000 {
            let who = person.to_string();
            let erring = Erring { who: &who, rate: 0.25 };
            wrong[0] += u32::from(truth.pick(erring, "lime", &uppers) != Some(2));
            wrong[1] += u32::from(truth.place(erring, "lime").as_deref() != Some("citrus fruit"));
            wrong[2] += u32::from(truth.tick(|_| erring, "cheese", &options(&["lime"])) == [0]);
        }
        // 1,000 expected each, with a standard deviation of 27.
        assert!(wrong.iter().all(|count| (880..1_120).contains(count)), "{wrong:?}");
    }
}
