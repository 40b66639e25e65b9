use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::mem::take;

use indexmap::IndexMap;

use super::words::{MAX_DISTANCE, Shape, misspelling, singulars};
use super::{
    DropReason, DroppedTag, MergeReason, MergedTag, PreparedConcepts, Tag, TagSettings, TaggedConcept,
};
use crate::name::{name_key, tidy};
use crate::{ErrorKind, NameIndex, Result};

/// A rare tag is a misspelling only of a tag that this many times as many workers used.
const FREQUENCY_RATIO: usize = 3;
/// The most steps in the search for misspellings, which take about a second. Tags of people need far fewer; a file of very many words that are
/// all alike could need hours.
const MOST_STEPS: usize = 150_000_000;

/// Makes concepts of free tags.
///
/// The steps are: merge tags with the same letters; merge what the settings say; merge plurals and singulars, under the
/// name that more workers used; merge each tag of too few workers into a tag of enough workers, and three times as many,
/// that it may be a misspelling of; drop the tags that are listed or still have too few workers. T tags, R of them rare
/// and F frequent, take O(T + R F), and few steps of those where words are not alike.
///
/// ```
/// use grove_formats::{Source, TagSettings, prepare_concepts, read_tags};
/// let tags = "Apple\napple\napples\nbanana\nbanana\nbanana\nbananna\nthing\n";
/// let tags = read_tags(&Source::new("tags.txt", tags.as_bytes())?)?;
/// let prepared = prepare_concepts(&tags, &TagSettings { least_workers: 2, ..TagSettings::default() })?;
/// let found: Vec<_> = prepared.initial().iter().map(|concept| (concept.name.as_str(), concept.workers)).collect();
/// assert_eq!(found, [("banana", 4), ("apple", 3)]);
/// assert_eq!(prepared.dropped[0].tag, "thing");
/// # Ok::<(), grove_formats::Error>(())
/// ```
///
/// # Errors
/// [`UnknownConcept`](crate::ErrorKind::UnknownConcept) for a tag to keep, merge or separate that nobody used, with the nearest tag;
/// [`AlikeTags`](crate::ErrorKind::AlikeTags).
pub fn prepare_concepts(tags: &[Tag], settings: &TagSettings) -> Result<PreparedConcepts> {
    let mut merger = Merger::new(groups(tags), settings)?;
    merger.merge_as_asked(settings)?;
    merger.merge_plurals();
    merger.merge_misspellings(settings.least_workers)?;
    Ok(merger.finish(settings))
}

/// Tags with the same letters. A merge moves workers, uses and members to the other group.
#[derive(Default)]
struct Group {
    /// The spellings and how often each was used.
    spellings: BTreeMap<String, usize>,
    /// Everyone who used a member.
    workers: HashSet<usize>,
    /// How often the members were used.
    uses: usize,
    /// The number of workers before any merge.
    own_workers: usize,
    /// The keys of the group and of all groups merged into it.
    members: Vec<String>,
    /// The group it was merged into, and why.
    into: Option<(usize, MergeReason)>,
}

impl Group {
    /// The most frequent spelling; of equals the one in lower case.
    fn name(&self) -> &str {
        let is_lower = |spelling: &str| spelling.to_lowercase() == spelling;
        let best = self.spellings.iter().max_by_key(|(spelling, uses)| (**uses, is_lower(spelling)));
        best.map_or("", |(spelling, _)| spelling)
    }
}

/// Groups tags by their letters, in order of first appearance.
fn groups(tags: &[Tag]) -> IndexMap<String, Group> {
    let (mut groups, mut workers) = (IndexMap::<String, Group>::new(), HashMap::new());
    for (at, tag) in tags.iter().enumerate() {
        let key = name_key(&tag.text);
        if key.is_empty() {
            continue;
        }
        // Every unknown worker gets a number beyond those of the known ones.
        let next = workers.len();
        let known = tag.worker.as_ref().map(|worker| *workers.entry(tidy(worker)).or_insert(next));
        let group = groups.entry(key.clone()).or_default();
        group.members = vec![key];
        *group.spellings.entry(tidy(&tag.text)).or_default() += 1;
        group.workers.insert(known.unwrap_or(tags.len() + at));
        group.own_workers = group.workers.len();
        group.uses += 1;
    }
    groups
}

struct Merger {
    /// By the common key of their tags.
    groups: IndexMap<String, Group>,
    kept: HashSet<usize>,
    separate: Vec<(String, String)>,
}

impl Merger {
    fn new(groups: IndexMap<String, Group>, settings: &TagSettings) -> Result<Self> {
        let mut merger = Self { groups, kept: HashSet::new(), separate: Vec::new() };
        merger.kept = settings.keep.iter().map(|tag| merger.find(tag)).collect::<Result<_, _>>()?;
        for (one, other) in &settings.separate {
            merger.find(one)?;
            merger.find(other)?;
            merger.separate.push((name_key(one), name_key(other)));
        }
        Ok(merger)
    }

    fn find(&self, tag: &str) -> Result<usize> {
        self.groups.get_index_of(&name_key(tag)).ok_or_else(|| {
            let index = NameIndex::new(None, self.groups.values().map(|group| (group.name(), &[][..])));
            index.unknown(tag).into()
        })
    }

    /// The group that a group was merged into, through all merges; itself if it was not merged.
    fn head(&self, mut group: usize) -> usize {
        while let Some((into, _)) = self.groups[group].into {
            group = into;
        }
        group
    }

    fn is_head(&self, group: usize) -> bool {
        self.groups[group].into.is_none()
    }

    fn may_merge(&self, one: usize, other: usize) -> bool {
        let [one, other] = [one, other].map(|group| &self.groups[group].members);
        let keeps_apart = |(a, b): &(String, String)| {
            one.contains(a) && other.contains(b) || one.contains(b) && other.contains(a)
        };
        !self.separate.iter().any(keeps_apart)
    }

    fn merge(&mut self, from: usize, into: usize, reason: MergeReason) {
        let group = &mut self.groups[from];
        group.into = Some((into, reason));
        let (workers, members, uses) = (take(&mut group.workers), take(&mut group.members), group.uses);
        let into = &mut self.groups[into];
        into.workers.extend(workers);
        into.members.extend(members);
        into.uses += uses;
    }

    fn merge_as_asked(&mut self, settings: &TagSettings) -> Result<()> {
        for (from, into) in &settings.merge {
            let [from, into] = [self.head(self.find(from)?), self.head(self.find(into)?)];
            if from != into {
                self.merge(from, into, MergeReason::Asked);
            }
        }
        Ok(())
    }

    fn merge_plurals(&mut self) {
        for plural in 0..self.groups.len() {
            let words = singulars(&self.groups.keys()[plural]);
            let singular = words.iter().find_map(|word| self.groups.get_index_of(word));
            let Some(singular) = singular.map(|group| self.head(group)) else { continue };
            let plural = self.head(plural);
            if plural == singular || !self.may_merge(plural, singular) {
                continue;
            }
            // The name that more workers used stays, unless the other one is to be kept.
            let mut pair = [singular, plural];
            pair.sort_by_key(|&group| {
                Reverse((self.kept.contains(&group), self.groups[group].workers.len()))
            });
            if !self.kept.contains(&pair[1]) {
                self.merge(pair[1], pair[0], MergeReason::Plural);
            }
        }
    }

    fn merge_misspellings(&mut self, least_workers: usize) -> Result<()> {
        let heads: Vec<usize> = (0..self.groups.len()).filter(|&group| self.is_head(group)).collect();
        let count = |group: &usize| self.groups[*group].workers.len();
        let (frequent, rare): (Vec<usize>, Vec<usize>) =
            heads.iter().partition(|group| count(group) >= least_workers);
        // All are found before any is merged, so that the result does not depend on their order.
        let (search, mut found, mut steps) = (Search::new(&self.groups, &frequent), Vec::new(), 0);
        for &from in rare.iter().filter(|group| !self.kept.contains(*group)) {
            let may_merge =
                |into: usize| count(&into) >= FREQUENCY_RATIO * count(&from) && self.may_merge(from, into);
            let near = search.near(&self.groups[from].members, may_merge, &mut steps)?;
            let best =
                near.into_iter().min_by_key(|&(distance, into)| (distance, Reverse(count(&into)), into));
            found.extend(best.map(|(distance, into)| (from, into, distance)));
        }
        for (from, into, distance) in found {
            self.merge(from, into, MergeReason::Spelling { distance });
        }
        Ok(())
    }

    fn finish(self, settings: &TagSettings) -> PreparedConcepts {
        let listed: HashSet<String> = settings.drop.iter().map(|tag| name_key(tag)).collect();
        let mut synonyms: HashMap<usize, Vec<String>> = HashMap::new();
        for group in self.groups.values() {
            if let Some((into, MergeReason::Asked)) = group.into {
                synonyms.entry(into).or_default().push(group.name().to_owned());
            }
        }
        let (mut concepts, mut dropped) = (Vec::new(), Vec::new());
        for (at, group) in self.groups.values().enumerate().filter(|&(at, _)| self.is_head(at)) {
            let workers = group.workers.len();
            let reason = match group.members.iter().any(|key| listed.contains(key)) {
                _ if self.kept.contains(&at) => None,
                true => Some(DropReason::Listed),
                false => (workers < settings.least_workers).then_some(DropReason::FewWorkers),
            };
            match reason {
                Some(reason) => dropped.push(DroppedTag { tag: group.name().to_owned(), reason, workers }),
                None => concepts.push(TaggedConcept {
                    name: group.name().to_owned(),
                    workers,
                    uses: group.uses,
                    synonyms: synonyms.remove(&at).unwrap_or_default(),
                }),
            }
        }
        concepts.sort_by(|a, b| (b.workers, b.uses, &a.name).cmp(&(a.workers, a.uses, &b.name)));
        dropped.sort_by(|a, b| (b.workers, &a.tag).cmp(&(a.workers, &b.tag)));
        let initial = settings.initial.min(concepts.len());
        PreparedConcepts { concepts, initial, merged: self.merged(), dropped }
    }

    /// All merges, in order of first appearance.
    fn merged(&self) -> Vec<MergedTag> {
        let mut merged = Vec::new();
        for (at, group) in self.groups.values().enumerate() {
            let (name, into) = (group.name(), self.groups[self.head(at)].name());
            let merge = |tag: &str, reason| MergedTag {
                tag: tag.to_owned(),
                into: into.to_owned(),
                reason,
                workers: group.own_workers,
            };
            merged.extend(group.into.map(|(_, reason)| merge(name, reason)));
            let others = group.spellings.keys().filter(|spelling| *spelling != name);
            merged.extend(others.map(|spelling| merge(spelling, MergeReason::SameLetters)));
        }
        merged
    }
}

/// A tag, with the number of its group.
type Member<'a> = (usize, &'a str, Shape);

/// The tags that others may be misspellings of, by what a misspelling leaves as it is, and by their lengths.
struct Search<'a> {
    by_start: HashMap<(char, usize), Vec<Member<'a>>>,
}

impl<'a> Search<'a> {
    fn new(groups: &'a IndexMap<String, Group>, among: &[usize]) -> Self {
        let mut by_start: HashMap<_, Vec<_>> = HashMap::new();
        for &group in among {
            for member in &groups[group].members {
                let shape = Shape::of(member);
                by_start.entry((shape.start, shape.length)).or_default().push((
                    group,
                    member.as_str(),
                    shape,
                ));
            }
        }
        Self { by_start }
    }

    /// The groups of which one of these tags may be a misspelling, each with the distance of some pair of members.
    fn near(
        &self,
        members: &[String],
        is_candidate: impl Fn(usize) -> bool,
        steps: &mut usize,
    ) -> Result<Vec<(usize, usize)>> {
        let mut near = Vec::new();
        for member in members {
            let shape = Shape::of(member);
            let lengths = shape.length.saturating_sub(MAX_DISTANCE)..=shape.length + MAX_DISTANCE;
            for (into, other, other_shape) in
                lengths.filter_map(|length| self.by_start.get(&(shape.start, length))).flatten()
            {
                *steps += 1;
                if !shape.may_be_near(other_shape) || !is_candidate(*into) {
                    continue;
                }
                *steps += 50 + shape.length * other_shape.length;
                if *steps > MOST_STEPS {
                    return Err(ErrorKind::AlikeTags.into());
                }
                near.extend(misspelling(member, other).map(|distance| (distance, *into)));
            }
        }
        Ok(near)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tags and the number of workers who gave each.
    fn tags(counts: &[(&str, usize)]) -> Vec<Tag> {
        let tag = |text: &str, worker| Tag {
            item: None,
            worker: Some(format!("worker {worker}")),
            text: text.into(),
        };
        counts.iter().flat_map(|&(text, count)| (0..count).map(move |worker| tag(text, worker))).collect()
    }

    fn prepare(counts: &[(&str, usize)], settings: TagSettings) -> PreparedConcepts {
        prepare_concepts(&tags(counts), &settings).unwrap()
    }

    fn names(prepared: &PreparedConcepts) -> Vec<(&str, usize)> {
        prepared.concepts.iter().map(|concept| (concept.name.as_str(), concept.workers)).collect()
    }

    #[test]
    fn reports_what_was_merged_and_why() {
        let prepared = prepare(
            &[
                ("Tomato", 3),
                ("tomatoes", 9),
                ("tomattoes", 1),
                ("banana", 6),
                ("banaan", 2),
                ("pear", 5),
                ("bear", 1),
            ],
            TagSettings { initial: 2, ..TagSettings::default() },
        );
        // Three of the nine who gave tomatoes also gave Tomato.
        assert_eq!(names(&prepared), [("tomatoes", 9), ("banana", 6), ("pear", 5)]);
        assert_eq!((prepared.initial().len(), prepared.later()[0].name.as_str()), (2, "pear"));
        let why: Vec<_> =
            prepared.merged.iter().map(|one| (&one.tag[..], &one.into[..], one.reason)).collect();
        assert_eq!(
            why,
            [
                ("Tomato", "tomatoes", MergeReason::Plural),
                ("tomattoes", "tomatoes", MergeReason::Spelling { distance: 1 }),
                ("banaan", "banana", MergeReason::Spelling { distance: 1 }),
            ]
        );
        assert_eq!(
            prepared.dropped,
            [DroppedTag { tag: "bear".into(), reason: DropReason::FewWorkers, workers: 1 }]
        );
    }

    #[test]
    fn a_frequent_word_is_not_a_misspelling() {
        let prepared = prepare(&[("bacon", 20), ("baron", 6)], TagSettings::default());
        assert_eq!(names(&prepared), [("bacon", 20), ("baron", 6)]);
    }

    #[test]
    fn one_worker_counts_once() {
        let again = vec![tags(&[("salt", 1)])[0].clone(); 7];
        let prepared = prepare_concepts(&again, &TagSettings::default()).unwrap();
        assert_eq!(prepared.dropped[0].workers, 1);
        let nameless = vec![Tag { item: None, worker: None, text: "salt".into() }; 7];
        assert_eq!(names(&prepare_concepts(&nameless, &TagSettings::default()).unwrap()), [("salt", 7)]);
    }

    #[test]
    fn settings_override_the_rules() {
        let counts = [
            ("news", 6),
            ("new", 7),
            ("soda", 8),
            ("pop", 2),
            ("stuff", 30),
            ("saffron", 1),
            ("banana", 9),
            ("bananna", 2),
        ];
        let pair = |one: &str, other: &str| vec![(one.to_owned(), other.to_owned())];
        let settings = TagSettings {
            drop: vec!["Stuff".into()],
            keep: vec!["saffron".into(), "bananna".into()],
            merge: pair("pop", "soda"),
            separate: pair("new", "news"),
            ..TagSettings::default()
        };
        let prepared = prepare(&counts, settings.clone());
        let expected = [("banana", 9), ("soda", 8), ("new", 7), ("news", 6), ("bananna", 2), ("saffron", 1)];
        assert_eq!(names(&prepared), expected);
        assert_eq!(prepared.initial()[1].synonyms, ["pop"]);
        assert_eq!(
            prepared.dropped,
            [DroppedTag { tag: "stuff".into(), reason: DropReason::Listed, workers: 30 }]
        );
        assert_eq!(prepared.concept_list().unwrap().index().find("pop").map(|c| c.index()), Some(2));

        let typo = TagSettings { keep: vec!["safron".into()], ..settings };
        let error = prepare_concepts(&tags(&counts), &typo).unwrap_err();
        assert_eq!(error.to_string(), "\"safron\" is not among the concepts; did you mean \"saffron\"?");
    }

    #[test]
    fn the_order_of_tags_changes_nothing_but_the_report() {
        let counts =
            [("berries", 4), ("berry", 4), ("berri", 1), ("cherry", 5), ("chery", 1), ("cherrys", 1)];
        let mut backwards = counts;
        backwards.reverse();
        let [one, other] = [&counts, &backwards]
            .map(|counts| prepare(counts, TagSettings { least_workers: 4, ..TagSettings::default() }));
        assert_eq!(one.concepts, other.concepts);
        assert_eq!(names(&one), [("cherry", 5), ("berry", 4)]);
    }
}
