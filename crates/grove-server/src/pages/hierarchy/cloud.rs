//! The cloud: hierarchies drawn from the belief over each other (after DensiTree, R. Bouckaert, Bioinformatics 2010). Lines on which they
//! agree are dark; where they do not, a concept has several faint ones.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use askama::Template;
use grove_tree::{Concept, Tree};

use super::item::{Item, piece};
use super::pieces::Pane;
use super::tree::{Drawing, Line};
use super::url::Links;
use crate::http_error::Result;

const ROW: f64 = 26.0;
const COLUMN: f64 = 96.0;
/// The room for names at the right, and between them and the lines.
const NAMES: f64 = 300.0;
const SPACE: f64 = 56.0;
/// The room for the button that folds, before a name.
const FOLD: f64 = 32.0;
/// A line that fewer of the trees have is not drawn.
const LEAST_SHARE: f64 = 0.05;

#[derive(Template)]
#[template(path = "hierarchy/cloud_name.svg", escape = "html")]
struct CloudName<'a> {
    item: &'a Item,
    links: &'a Links,
}

/// Draws trees whose concepts are named as in the rows.
pub(super) fn cloud(items: &[Item], trees: &[Tree], links: &Links) -> Result<Drawing> {
    let rows: HashMap<Concept, usize> = items
        .iter()
        .enumerate()
        .filter(|one| one.1.row.rest.is_none())
        .map(|(at, item)| (item.row.concept, at))
        .collect();
    let segments = segments(trees, &rows);
    let deepest = segments.keys().map(|[_, (_, level)]| *level).max().unwrap_or(1);
    let names_from = across(deepest) + SPACE;
    let short = Links::short();
    let name = |(at, item)| {
        let name = piece(item, links, &short, |item, links| CloudName { item, links })?;
        Ok(name.at(names_from, height(at)))
    };
    let pieces = items.iter().enumerate().map(name).collect::<Result<_>>()?;
    Ok(Drawing {
        width: names_from + NAMES,
        height: height(items.len()),
        pane: Pane { pieces },
        lines: lines(segments, trees.len(), names_from - FOLD),
    })
}

fn height(row: usize) -> f64 {
    ROW * (row as f64 + 0.75)
}

fn across(level: usize) -> f64 {
    COLUMN * level as f64 + 12.0
}

/// A line between two rows: the row and the level of either end.
type Segment = [(usize, usize); 2];

/// How many trees have each line, of those that are drawn. Concepts that are folded do not count.
fn segments(trees: &[Tree], rows: &HashMap<Concept, usize>) -> HashMap<Segment, usize> {
    let mut segments = HashMap::new();
    for tree in trees {
        let outline = tree.outline();
        let mut levels = vec![0; tree.len() + 1];
        let mut shown = vec![Concept::ROOT; tree.len() + 1];
        for &concept in outline.order().iter().skip(1) {
            let above = shown[tree.parent(concept).index()];
            let Some(&row) = rows.get(&concept) else {
                shown[concept.index()] = above;
                continue;
            };
            shown[concept.index()] = concept;
            let level = levels[above.index()] + 1;
            levels[concept.index()] = level;
            let above = (rows.get(&above).copied().unwrap_or(0), levels[above.index()]);
            *segments.entry([above, (row, level)]).or_insert(0) += 1;
        }
    }
    segments.retain(|_, count| *count as f64 >= LEAST_SHARE * trees.len() as f64);
    segments
}

/// The lines, and dotted ones from where a concept is most often to its name.
fn lines(segments: HashMap<Segment, usize>, trees: usize, until: f64) -> Vec<Line> {
    let mut segments: Vec<_> = segments.into_iter().collect();
    segments.sort_unstable();
    let mut usual: BTreeMap<usize, BTreeMap<usize, usize>> = BTreeMap::new();
    for ([_, (row, level)], count) in &segments {
        *usual.entry(*row).or_default().entry(*level).or_default() += count;
    }
    let leader = |(row, levels): (usize, BTreeMap<usize, usize>)| {
        let (level, _) = levels.into_iter().max_by_key(|(level, count)| (*count, Reverse(*level)))?;
        Some(format!("M{:.0} {:.0}H{until:.0}", across(level) + 6.0, height(row)))
    };
    let leaders = Line {
        class: "leader".to_owned(),
        width: "1".to_owned(),
        opacity: None,
        path: usual.into_iter().filter_map(leader).collect(),
    };
    let line = |([from, to], count): (Segment, usize)| {
        let share = count as f64 / trees.max(1) as f64;
        let [(x, y), (to_x, to_y)] = [from, to].map(|(row, level)| (across(level), height(row)));
        let (out, into) = (x + COLUMN * 0.5, to_x - COLUMN * 0.5);
        Line {
            class: "cloud-line".to_owned(),
            width: format!("{:.1}", 1.0 + 2.5 * share),
            opacity: Some(format!("{:.2}", 0.12 + 0.88 * share)),
            path: format!("M{x:.0} {y:.0}C{out:.0} {y:.0} {into:.0} {to_y:.0} {to_x:.0} {to_y:.0}"),
        }
    };
    std::iter::once(leaders).chain(segments.into_iter().map(line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_that_agree_share_their_lines() {
        let tree = |parents: &[usize]| {
            Tree::from_parents(&parents.iter().map(|at| Concept::new(*at)).collect::<Vec<_>>()).unwrap()
        };
        // 3 under 2 in three of four, under the root in one; 2 is folded away.
        let trees = [tree(&[0, 1, 2]), tree(&[0, 1, 2]), tree(&[0, 1, 2]), tree(&[0, 1, 0])];
        let rows = HashMap::from([(Concept::ROOT, 0), (Concept::new(1), 1), (Concept::new(3), 2)]);
        let segments = segments(&trees, &rows);
        assert_eq!(segments[&[(0, 0), (1, 1)]], 4);
        assert_eq!(segments[&[(1, 1), (2, 2)]], 3, "the folded one is passed over");
        assert_eq!(segments[&[(0, 0), (2, 1)]], 1);
        let drawn = lines(segments, trees.len(), 300.0);
        assert_eq!(drawn.len(), 4);
        assert_eq!(drawn[0].path.matches('M').count(), 2, "one to each name but the root's");
        assert!(
            drawn[0].path.contains("M210 "),
            "from the level where it is in three of four: {}",
            drawn[0].path
        );
        assert!(drawn.iter().any(|line| line.opacity.as_deref() == Some("1.00")));
    }
}
