use std::collections::{BTreeMap, HashMap, HashSet};

use super::{MergeReason, Tag};
use crate::name::{name_key, tidy};

/// Tags with the same letters.
pub(crate) struct Group {
    /// What they have in common.
    pub(crate) key: String,
    /// The spellings and how often each was used.
    pub(crate) spellings: BTreeMap<String, usize>,
    /// Everyone who used one of them; after a merge, also those of the merged.
    pub(crate) workers: HashSet<usize>,
    /// How often they were used, after a merge with the merged.
    pub(crate) uses: usize,
    /// How many workers used the group itself.
    pub(crate) own_workers: usize,
    /// Keys of everything merged into it, its own first.
    pub(crate) members: Vec<String>,
    /// The group it was merged into, and why.
    pub(crate) into: Option<(usize, MergeReason)>,
}

impl Group {
    /// The most frequent spelling; of equals the one in small letters.
    pub(crate) fn name(&self) -> &str {
        let small = |spelling: &str| spelling.to_lowercase() == spelling;
        let best = self.spellings.iter().max_by_key(|(spelling, uses)| (**uses, small(spelling)));
        best.map_or("", |(spelling, _)| spelling)
    }
}

/// The tags grouped by their letters, in order of first appearance.
pub(crate) fn groups(tags: &[Tag]) -> Vec<Group> {
    let mut number: HashMap<String, usize> = HashMap::new();
    let mut workers: HashMap<String, usize> = HashMap::new();
    let mut groups: Vec<Group> = Vec::new();
    for (at, tag) in tags.iter().enumerate() {
        let key = name_key(&tag.text);
        if key.is_empty() {
            continue;
        }
        let group = *number.entry(key.clone()).or_insert_with(|| {
            groups.push(Group {
                members: vec![key.clone()],
                key,
                spellings: BTreeMap::new(),
                workers: HashSet::new(),
                uses: 0,
                own_workers: 0,
                into: None,
            });
            groups.len() - 1
        });
        // Numbers past those of the known workers tell the unknown ones apart.
        let worker = match &tag.worker {
            Some(worker) => {
                let next = workers.len();
                *workers.entry(tidy(worker)).or_insert(next)
            }
            None => tags.len() + at,
        };
        let group = &mut groups[group];
        *group.spellings.entry(tidy(&tag.text)).or_default() += 1;
        group.workers.insert(worker);
        group.uses += 1;
    }
    for group in &mut groups {
        group.own_workers = group.workers.len();
    }
    groups
}
