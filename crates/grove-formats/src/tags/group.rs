use std::collections::{BTreeMap, HashMap, HashSet};

use super::{MergeReason, Tag};
use crate::name::{name_key, tidy};

/// Tags with the same letters. A merge moves workers, uses and members to the other group.
#[derive(Default)]
pub(crate) struct Group {
    /// The common key of the tags.
    pub(crate) key: String,
    /// The spellings and how often each was used.
    pub(crate) spellings: BTreeMap<String, usize>,
    /// Everyone who used a member.
    pub(crate) workers: HashSet<usize>,
    /// How often the members were used.
    pub(crate) uses: usize,
    /// The number of workers before any merge.
    pub(crate) own_workers: usize,
    /// The keys of the group and of all groups merged into it.
    pub(crate) members: Vec<String>,
    /// The group it was merged into, and why.
    pub(crate) into: Option<(usize, MergeReason)>,
}

impl Group {
    /// The most frequent spelling; of equals the one in lower case.
    pub(crate) fn name(&self) -> &str {
        let is_lower = |spelling: &str| spelling.to_lowercase() == spelling;
        let best = self.spellings.iter().max_by_key(|(spelling, uses)| (**uses, is_lower(spelling)));
        best.map_or("", |(spelling, _)| spelling)
    }
}

/// Groups tags by their letters, in order of first appearance.
pub(crate) fn groups(tags: &[Tag]) -> Vec<Group> {
    let (mut number, mut workers) = (HashMap::new(), HashMap::new());
    let mut groups: Vec<Group> = Vec::new();
    for (at, tag) in tags.iter().enumerate() {
        let key = name_key(&tag.text);
        if key.is_empty() {
            continue;
        }
        let group = *number.entry(key.clone()).or_insert_with(|| {
            groups.push(Group { members: vec![key.clone()], key, ..Group::default() });
            groups.len() - 1
        });
        // Every unknown worker gets a number beyond those of the known ones.
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
        group.own_workers = group.workers.len();
        group.uses += 1;
    }
    groups
}
