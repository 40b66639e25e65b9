//! Hierarchies as paths: one concept per line, with all that is above it, `food > fruit > apple`.

use std::collections::HashMap;

use grove_tree::Concept;

use crate::concept_list::CONCEPT_LIMIT;
use crate::name::{name_key, read_name};
use crate::read::{Placed, assemble, spare_root};
use crate::{Entry, ErrorKind, Heading, Hierarchy, Place, Result, Source, escape};

/// The names on one line, from the top down.
struct Path {
    at: Place,
    steps: Vec<String>,
}

/// Reads paths. If all begin with the same name, that is the root.
pub(crate) fn read(source: &Source) -> Result<Hierarchy> {
    let path = |(line, text): (usize, &'_ str)| {
        let at = source.place().line(line);
        let steps = escape::split(text, '>').into_iter();
        let steps =
            steps.map(|step| read_name(&step, &at, "name between two >")).collect::<Result<_, _>>()?;
        Ok(Path { at, steps })
    };
    let mut paths = source.content_lines().map(path).collect::<Result<Vec<Path>>>()?;
    if paths.iter().all(|path| path.steps.len() < 2) {
        return Err(source.error(ErrorKind::NoHierarchy));
    }
    let root = match common_top(&paths) {
        Some(top) => {
            paths.iter_mut().for_each(|path| drop(path.steps.remove(0)));
            top
        }
        None => spare_root(paths.iter().flat_map(|path| &path.steps).map(String::as_str)),
    };
    assemble(Some(Heading::new(&root)), place(&root, &paths), &source.place())
}

/// The first name of all paths, if it is the same.
fn common_top(paths: &[Path]) -> Option<String> {
    let top = paths.first()?.steps.first()?;
    let same = |path: &Path| path.steps.first().is_some_and(|first| name_key(first) == name_key(top));
    paths.iter().all(same).then(|| top.clone())
}

/// The concepts of all steps, once for each parent they have; a concept with two is an error later.
fn place(root: &str, paths: &[Path]) -> Vec<Placed> {
    let mut placed = Vec::new();
    let mut parent_of: HashMap<String, String> = HashMap::new();
    for Path { at, steps } in paths {
        let mut parent = root;
        for step in steps {
            let known = parent_of.insert(name_key(step), name_key(parent));
            // More concepts than can be read are counted and not kept.
            if known != Some(name_key(parent)) && placed.len() <= CONCEPT_LIMIT {
                let entry = Entry { name: step.clone(), ..Entry::default() };
                placed.push(Placed::new(entry, parent, at));
            }
            parent = step;
        }
    }
    placed
}

/// Writes the path of every concept.
pub(crate) fn write(hierarchy: &Hierarchy) -> String {
    let step = |concept: Concept| escape::escape(hierarchy.name(concept), '>');
    let root = step(Concept::ROOT);
    // A line that begins with # would be a comment.
    let root = if root.starts_with('#') { format!("\\{root}") } else { root };
    let mut out = String::new();
    for &concept in &hierarchy.outline().order()[1..] {
        let upwards = std::iter::once(concept).chain(hierarchy.tree().ancestors(concept));
        let mut steps: Vec<String> = upwards.map(step).chain([root.clone()]).collect();
        steps.reverse();
        out.push_str(&(steps.join(" > ") + "\n"));
    }
    out
}
