//! Which concepts of a hierarchy are in the page. Only what is unfolded is, so the page stays small however large the hierarchy is.

use std::collections::HashSet;

use grove_campaign::number;
use grove_campaign::operations::View;
use grove_tree::{Concept, Outline};

use super::url::PageUrl;

/// Larger hierarchies are folded at first.
pub(super) const UNFOLDED: usize = 80;
/// Folded to the second level, unless that would be more rows than this.
const FEW_ROWS: usize = 160;
/// The children of one concept that are shown at first, and with each click on "show more".
pub(super) const CHILDREN: usize = 100;
/// The most rows of a page; what would come after them stays folded.
const MOST_ROWS: usize = 1_500;

/// A row: a concept, or the rest of the children of one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Row {
    /// The concept, or the one whose children are not all shown.
    pub(super) concept: Concept,
    pub(super) number: u32,
    /// 1 for the root.
    pub(super) level: usize,
    /// Whether what is below is shown; none if nothing is below.
    pub(super) open: Option<bool>,
    /// The number of children left out, and of those shown, if this row stands for them.
    pub(super) rest: Option<(usize, usize)>,
}

/// The rows of a page, in depth-first order, and what was found.
pub(super) struct Visible<'a> {
    pub(super) view: &'a View,
    pub(super) outline: Outline,
    pub(super) rows: Vec<Row>,
    /// The level to which concepts are unfolded unless the address says otherwise.
    pub(super) depth: usize,
    /// The concepts that were searched for, in depth-first order.
    pub(super) found: Vec<Concept>,
    /// The one of them that is shown.
    pub(super) hit: Option<Concept>,
}

impl<'a> Visible<'a> {
    /// Finds the rows, and settles in the address whether the concept to toggle was open.
    pub(super) fn new(view: &'a View, url: &mut PageUrl) -> Self {
        let outline = view.hierarchy.outline();
        let found = found(view, &outline, &url.find);
        let hit = if found.is_empty() { None } else { Some(found[url.hit % found.len()]) };
        let depth = url.depth.unwrap_or_else(|| usual_depth(view, &outline));
        let mut visible = Self { view, outline, rows: Vec::new(), depth, found, hit };
        visible.toggle(url);
        visible.rows = visible.unfold(url);
        visible
    }

    pub(super) fn is_found(&self, concept: Concept) -> bool {
        self.found.contains(&concept)
    }

    /// The number of concepts below one.
    pub(super) fn below(&self, concept: Concept) -> usize {
        self.outline.subtree(concept).len() - 1
    }

    /// The concept of a number of the campaign.
    pub(super) fn concept(&self, wanted: u32) -> Option<Concept> {
        find(self.view, wanted)
    }

    fn toggle(&self, url: &mut PageUrl) {
        let Some((number, concept)) =
            url.toggle.take().and_then(|number| Some((number, self.concept(number)?)))
        else {
            return;
        };
        let was_open = self.is_open(url, &self.ways(url), concept);
        let (from, to) =
            if was_open { (&mut url.open, &mut url.closed) } else { (&mut url.closed, &mut url.open) };
        from.remove(&number);
        to.insert(number);
    }

    /// What is above the selected concept, and what is above the one that was found.
    fn ways(&self, url: &PageUrl) -> [HashSet<Concept>; 2] {
        let way = |concept: Option<Concept>| {
            let parent = |below: &Concept| self.view.hierarchy.entry(*below).map(|entry| entry.parent);
            std::iter::successors(concept.as_ref().and_then(parent), parent).collect()
        };
        [way(url.select.and_then(|number| self.concept(number))), way(self.hit)]
    }

    fn is_open(&self, url: &PageUrl, [selected, found]: &[HashSet<Concept>; 2], concept: Concept) -> bool {
        let number = number(&self.view.numbers, concept);
        if found.contains(&concept) {
            return true;
        }
        if url.closed.contains(&number) {
            return false;
        }
        url.open.contains(&number) || selected.contains(&concept) || self.outline.depth(concept) < self.depth
    }

    fn unfold(&self, url: &PageUrl) -> Vec<Row> {
        let ways = self.ways(url);
        let wanted = |concept: Concept| {
            let is_target =
                url.select == Some(number(&self.view.numbers, concept)) || self.hit == Some(concept);
            is_target || ways.iter().any(|way| way.contains(&concept))
        };
        let mut rows = Vec::new();
        let row = |concept, level, open, rest| Row {
            concept,
            number: number(&self.view.numbers, concept),
            level,
            open,
            rest,
        };
        // Rows still to come, the next one last.
        let mut coming = vec![row(Concept::ROOT, 1, None, None)];
        while let Some(next) = coming.pop() {
            let Row { concept, level, rest: None, .. } = next else {
                rows.push(next);
                continue;
            };
            let children = self.outline.children(concept);
            let open = self.is_open(url, &ways, concept) && rows.len() < MOST_ROWS;
            rows.push(Row { open: (!children.is_empty()).then_some(open), ..next });
            if !open {
                continue;
            }
            let most = url.more.get(&next.number).copied().unwrap_or(CHILDREN).min(MOST_ROWS);
            let shown = children.iter().enumerate().filter(|(at, child)| *at < most || wanted(**child));
            let shown: Vec<Concept> = shown.map(|(_, child)| *child).collect();
            if shown.len() < children.len() {
                let rest = Some((children.len() - shown.len(), most));
                coming.push(row(concept, level + 1, None, rest));
            }
            coming.extend(shown.into_iter().rev().map(|child| row(child, level + 1, None, None)));
        }
        rows
    }
}

/// The concept of a number of the campaign.
pub(super) fn find(view: &View, wanted: u32) -> Option<Concept> {
    if wanted == 0 {
        return Some(Concept::ROOT);
    }
    view.numbers.binary_search(&wanted).ok().map(|at| Concept::new(at + 1))
}

/// The concepts whose name or synonym contains a text, whatever the case.
fn found(view: &View, outline: &Outline, text: &str) -> Vec<Concept> {
    if text.is_empty() {
        return Vec::new();
    }
    let text = text.to_lowercase();
    let has = |name: &str| name.to_lowercase().contains(&text);
    let is_found = |concept: &&Concept| match view.hierarchy.entry(**concept) {
        Some(entry) => has(&entry.name) || entry.synonyms.iter().any(|synonym| has(synonym)),
        None => has(&view.hierarchy.heading().root),
    };
    outline.order().iter().filter(is_found).copied().collect()
}

fn usual_depth(view: &View, outline: &Outline) -> usize {
    if view.hierarchy.len() <= UNFOLDED {
        return usize::MAX;
    }
    let shown = outline.order().iter().filter(|concept| outline.depth(**concept) <= 2).count();
    if shown <= FEW_ROWS { 2 } else { 1 }
}

#[cfg(test)]
mod tests {
    use grove_formats::{Entry, Heading, Hierarchy};
    use grove_store::Position;

    use super::*;

    /// A hierarchy by the parents of its concepts, which the campaign numbers 10, 20, 30 ...
    fn view(parents: &[usize]) -> View {
        let entry =
            |(at, parent): (usize, &usize)| Entry::new(&format!("c{}", at + 1), Concept::new(*parent));
        let entries: Vec<Entry> = parents.iter().enumerate().map(entry).collect();
        let numbers = (1..=parents.len() as u32).map(|at| 10 * at).collect();
        let hierarchy = Hierarchy::new(Heading::new("all"), entries).unwrap();
        View { position: Position(9), hierarchy, numbers, votes: 0 }
    }

    fn numbers(view: &View, url: &mut PageUrl) -> Vec<u32> {
        Visible::new(view, url).rows.iter().map(|row| row.number).collect()
    }

    #[test]
    fn a_small_hierarchy_is_unfolded_and_folds() {
        let view = view(&[0, 1, 2, 0]);
        assert_eq!(numbers(&view, &mut PageUrl::default()), [0, 10, 20, 30, 40]);
        let mut url = PageUrl { toggle: Some(10), ..PageUrl::default() };
        assert_eq!(numbers(&view, &mut url), [0, 10, 40]);
        assert_eq!(url.closed, [10].into());
        url.toggle = Some(10);
        assert_eq!(numbers(&view, &mut url), [0, 10, 20, 30, 40]);
        assert_eq!((url.closed.len(), url.open), (0, [10].into()));
    }

    #[test]
    fn a_large_hierarchy_is_folded_to_the_second_level() {
        // A chain of four, and many beside it.
        let parents: Vec<usize> = [0, 1, 2, 3].into_iter().chain((5..=90).map(|_| 0)).collect();
        let view = view(&parents);
        let shown = numbers(&view, &mut PageUrl::default());
        assert_eq!((shown.len(), &shown[..4]), (1 + 87 + 1, &[0, 10, 20, 50][..]));
        // What is selected or found is shown all the same, and the found one even where its parents were folded.
        let mut url = PageUrl { select: Some(40), ..PageUrl::default() };
        assert_eq!(numbers(&view, &mut url)[..5], [0, 10, 20, 30, 40]);
        let mut url = PageUrl { find: "C4".into(), closed: [10].into(), ..PageUrl::default() };
        let visible = Visible::new(&view, &mut url);
        assert_eq!(visible.hit, Some(Concept::new(4)));
        assert_eq!(visible.found.len(), 11, "c4 and c40 to c49");
        assert!(visible.rows.iter().any(|row| row.number == 40));
        assert!(visible.is_found(Concept::new(4)) && !visible.is_found(Concept::new(3)));
    }

    #[test]
    fn many_children_are_shown_in_parts() {
        let view = view(&vec![0; 250]);
        let visible = Visible::new(&view, &mut PageUrl { select: Some(2_500), ..PageUrl::default() });
        assert_eq!(visible.rows.len(), 1 + CHILDREN + 2);
        assert_eq!(visible.rows[CHILDREN + 1].number, 2_500);
        assert_eq!(visible.rows.last().unwrap().rest, Some((149, CHILDREN)));
        let mut url = PageUrl { more: [(0, 250)].into(), ..PageUrl::default() };
        assert_eq!(Visible::new(&view, &mut url).rows.len(), 251);
    }
}
