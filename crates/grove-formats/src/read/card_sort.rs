use std::collections::HashSet;

use grove_tree::Concept;
use grove_vocabulary::{Answer, Kind, Question, Vote};
use indexmap::{IndexMap, IndexSet};

use super::table::Table;
use crate::name::{name_key, read_name};
use crate::{ConceptList, ErrorKind, ListedConcept, NameIndex, RecordedVote, Result, Source};

const CARD: &[&str] = &["card", "item"];
const CATEGORY: &[&str] = &["category", "group"];
const PARTICIPANT: &[&str] = &["participant", "worker", "user"];

/// The most votes that a card sort may stand for: a file of a few lines a person could stand for very many.
pub(crate) const VOTE_LIMIT: usize = 1_000_000;
/// So many bytes of a participant's name count as much as a vote.
const NAME_WEIGHT: usize = 32;

/// Reads a card sort (columns `card`, `category`, `participant`) as votes on known concepts.
///
/// A participant who puts card c into category k votes *yes* on "k above c", and *no* on "j above c" for every other
/// category j that the same participant used and did not put c into. A card listed twice counts once; a card in a
/// category of its own name gives no vote on that pair. All votes on a card have the line of its first placement.
///
/// ```
/// use grove_formats::{Source, read_card_sort_concepts, read_card_sort};
/// let sort = Source::new("sort.csv", b"card,category,participant\napple,fruit,ann\nsoda,drink,ann\n")?;
/// let concepts = read_card_sort_concepts(&sort)?;
/// assert_eq!(concepts.names().collect::<Vec<_>>(), ["fruit", "drink", "apple", "soda"]);
/// assert_eq!(read_card_sort(&sort, &concepts.index())?.len(), 4);
/// # Ok::<(), grove_formats::Error>(())
/// ```
///
/// # Errors
/// A missing column, a name that is not a concept, a vote on the root, or more than a million votes.
pub fn read_card_sort(source: &Source, concepts: &NameIndex) -> Result<Vec<RecordedVote>> {
    votes(&Table::read(source, "card")?, concepts)
}

/// Reads the concepts of a card sort: its categories, then its cards that are not categories.
///
/// # Errors
/// A missing column, an empty name, or a list that is empty or too long.
pub fn read_card_sort_concepts(source: &Source) -> Result<ConceptList> {
    let table = Table::read(source, "card")?;
    let mut seen = HashSet::new();
    let mut concepts = Vec::new();
    for column in [table.require(CATEGORY)?, table.require(CARD)?] {
        for row in table.rows()? {
            let name = read_name(row.get(column), &row.at, "card or category")?;
            if seen.insert(name_key(&name)) {
                concepts.push(ListedConcept { name, line: row.at.line, ..ListedConcept::default() });
            }
        }
    }
    ConceptList::new(concepts, &table.at)
}

/// Whether a table has the columns of a card sort.
pub(crate) fn is_card_sort(table: &Table) -> bool {
    table.column(CARD).is_some() && table.column(CATEGORY).is_some()
}

/// One participant's sort, in the order of the file.
#[derive(Default)]
struct Sort {
    categories: IndexSet<Concept>,
    /// Each with the line of its first placement.
    cards: IndexMap<Concept, usize>,
    placed: HashSet<(Concept, Concept)>,
}

pub(crate) fn votes(table: &Table, concepts: &NameIndex) -> Result<Vec<RecordedVote>> {
    let (card, category) = (table.require(CARD)?, table.require(CATEGORY)?);
    let participant = table.require(PARTICIPANT)?;
    let mut sorts: IndexMap<String, Sort> = IndexMap::new();
    for row in table.rows()? {
        let card = row.concept(card, "card", concepts)?;
        let category = row.concept(category, "category", concepts)?;
        let participant = read_name(row.get(participant), &row.at, "participant")?;
        let sort = sorts.entry(participant).or_default();
        sort.categories.insert(category);
        sort.cards.entry(card).or_insert(row.line());
        sort.placed.insert((card, category));
    }
    let count: usize = sorts.values().map(Sort::count).sum();
    // Every vote holds the name of its participant.
    let weight: usize =
        sorts.iter().map(|(participant, sort)| sort.count() * (1 + participant.len() / NAME_WEIGHT)).sum();
    if weight > VOTE_LIMIT {
        return Err(ErrorKind::TooManyVotes(count).at(&table.at));
    }
    Ok(sorts.iter().flat_map(|(participant, sort)| sort.votes(participant)).collect())
}

impl Sort {
    fn count(&self) -> usize {
        self.cards.len() * self.categories.len()
    }

    fn votes(&self, participant: &str) -> impl Iterator<Item = RecordedVote> {
        let pairs =
            self.cards.iter().flat_map(|card| self.categories.iter().map(move |category| (card, category)));
        pairs.filter(|((card, _), category)| card != category).map(|((&lower, &line), &upper)| RecordedVote {
            response: Vote {
                worker: participant.to_owned(),
                question: Question { kind: Kind::Path, upper, lower },
                answer: if self.placed.contains(&(lower, upper)) { Answer::Yes } else { Answer::No },
            }
            .into(),
            time: None,
            line,
        })
    }
}
