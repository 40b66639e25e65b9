use std::collections::HashMap;

use super::assemble::{Placed, assemble, spare_root};
use crate::name::{name_key, read_name};
use crate::{Entry, Error, Heading, Hierarchy, Place, Source, escape};

/// The names on one line, from the top down.
struct Path {
    at: Place,
    steps: Vec<String>,
}

/// Reads lines such as `food > fruit > apple`. If all begin with the same name, that is the root.
pub(crate) fn read(source: &Source) -> Result<Hierarchy, Error> {
    let line = |(line, text)| path(source.place().line(line), text);
    let mut paths = source.telling_lines().map(line).collect::<Result<Vec<Path>, Error>>()?;
    if paths.iter().all(|path| path.steps.len() < 2) {
        return Err(Error::NoHierarchy { at: source.place() });
    }
    let root = match one_top(&paths) {
        Some(top) => {
            paths.iter_mut().for_each(|path| drop(path.steps.remove(0)));
            top
        }
        None => spare_root(paths.iter().flat_map(|path| &path.steps).map(String::as_str)),
    };
    assemble(Some(Heading::new(&root)), places(&root, &paths), &source.place())
}

fn path(at: Place, text: &str) -> Result<Path, Error> {
    let steps = escape::split(text, '>').into_iter().map(|step| read_name(&step, &at, "name between two >"));
    Ok(Path { steps: steps.collect::<Result<_, _>>()?, at })
}

/// The first name of all paths, if it is the same.
fn one_top(paths: &[Path]) -> Option<String> {
    let top = paths.first()?.steps.first()?;
    let same = |path: &Path| path.steps.first().is_some_and(|first| name_key(first) == name_key(top));
    paths.iter().all(same).then(|| top.clone())
}

/// Every step places one concept. A place told again is no news; another one is, and an error further on.
fn places(root: &str, paths: &[Path]) -> Vec<Placed> {
    let mut placed = Vec::new();
    let mut parent_of: HashMap<String, String> = HashMap::new();
    for Path { at, steps } in paths {
        let mut parent = root;
        for step in steps {
            let known = parent_of.insert(name_key(step), name_key(parent));
            if known != Some(name_key(parent)) {
                placed.push(Placed {
                    entry: Entry { name: step.clone(), ..Entry::default() },
                    parent: parent.to_owned(),
                    alternatives: Vec::new(),
                    at: at.clone(),
                });
            }
            parent = step;
        }
    }
    placed
}
