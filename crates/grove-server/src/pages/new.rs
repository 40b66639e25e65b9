use askama::Template;
use axum::extract::{Multipart, State};
use axum::response::{IntoResponse, Redirect, Response};
use grove_campaign::{Budget, NewConcept, Settings};
use grove_formats::{ConceptList, ListedConcept, Place, Source, read_concepts};

use super::shell::{Shell, page};
use super::upload::Upload;
use crate::app::App;
use crate::auth::Caller;
use crate::fault::Fault;

/// What the form holds, as it was typed.
#[derive(Default)]
struct NewForm {
    title: String,
    concepts: String,
    root: String,
    relation: String,
    own: String,
    language: String,
    consent: String,
    price: String,
    budget: String,
}

#[derive(Template)]
#[template(path = "new.html")]
struct NewPage {
    shell: Shell,
    wrong: Option<String>,
    form: NewForm,
    relations: &'static [(&'static str, &'static str)],
    examples: Vec<String>,
    count: usize,
}

const OWN: &str = "own";
const RELATIONS: &[(&str, &str)] = &[
    ("is-a", "Is … a kind of …?"),
    ("part-of", "Is … a part of …?"),
    ("look-under", "Would you look for … under …?"),
    (OWN, "My own wording"),
];

/// As many example questions are shown.
const EXAMPLES: usize = 6;

fn show(
    caller: &Caller,
    form: NewForm,
    wrong: Option<String>,
    examples: Vec<String>,
    count: usize,
) -> Result<Response, Fault> {
    let shell = Shell::new("New campaign", Some(caller));
    page(&NewPage { shell, wrong, form, relations: RELATIONS, examples, count })
}

pub(super) async fn form(caller: Caller) -> Result<Response, Fault> {
    let form = NewForm {
        relation: "is-a".to_owned(),
        language: "en".to_owned(),
        consent: "Your answers are used to build a hierarchy of concepts. They are stored without your name."
            .to_owned(),
        price: "0".to_owned(),
        ..NewForm::default()
    };
    show(&caller, form, None, Vec::new(), 0)
}

/// Shows example questions, or makes the campaign.
pub(super) async fn create(
    State(app): State<App>,
    caller: Caller,
    upload: Multipart,
) -> Result<Response, Fault> {
    let upload = Upload::read(upload).await?;
    let mut form = NewForm::read(&upload);
    let planned = form.settings().and_then(|settings| Ok((settings, concepts(&upload)?)));
    let (settings, concepts) = match planned {
        Ok(planned) => planned,
        Err(fault) => return refuse(&caller, form, &fault),
    };
    // A file is not sent a second time, so what was read from it is kept as text.
    form.concepts = concepts.iter().map(line).collect();
    if upload.text("do") == "preview" {
        let examples = examples(&settings, &concepts)?;
        return show(&caller, form, None, examples, concepts.len());
    }
    let name = form.title.trim().to_owned();
    match app.campaigns().create(caller.owner.id, &name, &settings, &concepts).await {
        Ok(id) => Ok(Redirect::to(&format!("/campaigns/{id}/invite")).into_response()),
        Err(fault) => refuse(&caller, form, &fault),
    }
}

fn refuse(caller: &Caller, form: NewForm, fault: &Fault) -> Result<Response, Fault> {
    let status = fault.status();
    if status.is_server_error() {
        return Err(fault.clone());
    }
    Ok((status, show(caller, form, Some(fault.message()), Vec::new(), 0)?).into_response())
}

impl NewForm {
    fn read(upload: &Upload) -> Self {
        let text = |name| upload.text(name).to_owned();
        Self {
            title: text("title"),
            concepts: text("concepts"),
            root: text("root"),
            relation: text("relation"),
            own: text("own"),
            language: text("language"),
            consent: text("consent"),
            price: text("price"),
            budget: text("budget"),
        }
    }

    fn settings(&self) -> Result<Settings, Fault> {
        let relation = if self.relation == OWN { &self.own } else { &self.relation };
        let settings = Settings {
            title: self.title.trim().to_owned(),
            root: self.root.trim().to_owned(),
            language: self.language.trim().to_owned(),
            relation: relation.trim().to_owned(),
            consent: self.consent.trim().replace("\r\n", "\n"),
            price_cents: amount("the price", &self.price)?.unwrap_or(0.0),
            budget: Budget { votes: amount("the budget", &self.budget)?, cents: None },
            ..Settings::default()
        };
        settings.check()?;
        Ok(settings)
    }
}

/// A number that may be left out.
pub(super) fn amount<T: std::str::FromStr>(what: &str, text: &str) -> Result<Option<T>, Fault> {
    let text = text.trim().replace(',', ".");
    if text.is_empty() {
        return Ok(None);
    }
    text.parse().map(Some).map_err(|_| Fault::Bad(format!("{what} must be a number, not {text:?}")))
}

fn concepts(upload: &Upload) -> Result<Vec<NewConcept>, Fault> {
    let listed = match &upload.file {
        Some((name, bytes)) => read_concepts(&Source::new(name.clone(), bytes)?)?,
        None => pasted(upload.text("concepts"))?,
    };
    let concept = |one: &grove_formats::ListedConcept| NewConcept {
        name: one.name.clone(),
        definition: one.definition.clone().unwrap_or_default(),
        synonyms: one.synonyms.clone(),
    };
    Ok(listed.concepts().iter().map(concept).collect())
}

/// What was typed or pasted: a table if it has a heading, else a concept per line.
fn pasted(text: &str) -> Result<ConceptList, Fault> {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let is_heading =
        |cell: &str| ["definition", "synonyms"].contains(&cell.trim().to_ascii_lowercase().as_str());
    let heading = |separator: char| first.split(separator).any(is_heading);
    let tables = [('\t', "concepts.tsv"), (',', "concepts.csv")];
    if let Some((_, name)) = tables.into_iter().find(|(separator, _)| heading(*separator)) {
        return Ok(read_concepts(&Source::new(name, text.as_bytes())?)?);
    }
    let telling = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let listed = telling.map(|(at, line)| {
        let mut cells = line.split('\t');
        let mut cell = || cells.next().unwrap_or_default();
        ListedConcept {
            name: cell().to_owned(),
            definition: Some(cell().to_owned()),
            synonyms: cell().split('|').map(str::to_owned).filter(|synonym| !synonym.is_empty()).collect(),
            line: Some(at + 1),
        }
    });
    Ok(ConceptList::new(listed.collect(), &Place::file("the list"))?)
}

/// A concept as a line of the form.
fn line(concept: &NewConcept) -> String {
    let NewConcept { name, definition, synonyms } = concept;
    let definition = definition.split_whitespace().collect::<Vec<_>>().join(" ");
    match (definition.is_empty(), synonyms.is_empty()) {
        (true, true) => format!("{name}\n"),
        (false, true) => format!("{name}\t{definition}\n"),
        (_, false) => format!("{name}\t{definition}\t{}\n", synonyms.join("|")),
    }
}

/// Questions about concepts from all over the list.
fn examples(settings: &Settings, concepts: &[NewConcept]) -> Result<Vec<String>, Fault> {
    let (wording, count) = (settings.wording()?, concepts.len());
    let others = count.saturating_sub(1);
    // A parent that is never the child itself: a step of at least one and less than a whole round.
    let pair = |nth: usize| {
        let child = nth * count / EXAMPLES;
        (child, (child + 1 + (nth * 5 + others / 2) % others) % count)
    };
    let pairs = (0..if others == 0 { 0 } else { EXAMPLES }).map(pair);
    let mut asked: Vec<String> =
        pairs.map(|(child, parent)| wording.ask(&concepts[child].name, &concepts[parent].name)).collect();
    asked.dedup();
    Ok(asked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_can_be_sent_again_as_text() {
        let read = |text: &str| -> Vec<NewConcept> {
            let list = pasted(text).unwrap();
            let all = list.concepts().iter();
            all.map(|one| NewConcept {
                name: one.name.clone(),
                definition: one.definition.clone().unwrap_or_default(),
                synonyms: one.synonyms.clone(),
            })
            .collect()
        };
        let table = "name,definition,synonyms\nbrie,\"soft, white\",b1|b2\ngouda,,g\nfeta,,\n";
        let concepts = read(table);
        assert_eq!(concepts[0].synonyms, ["b1", "b2"]);
        assert_eq!(read(&concepts.iter().map(line).collect::<String>()), concepts);
        assert_eq!(read("salt, fine\r\n\r\n pepper \r\n").len(), 2, "a comma belongs to a name");
        let refused = pasted("brie\n\nBrie").unwrap_err().message();
        assert!(refused.contains("line 3"), "{refused}");
    }

    #[test]
    fn examples_ask_about_two_different_concepts() {
        for count in [0, 1, 2, 3, 5, 6, 7, 11, 50] {
            let concepts: Vec<NewConcept> =
                (0..count).map(|at| NewConcept::named(&format!("c{at}"))).collect();
            let settings = Settings { relation: "{child} {parent}".to_owned(), ..Settings::default() };
            let asked = examples(&settings, &concepts).unwrap();
            assert_eq!(asked.is_empty(), count < 2, "{count}: {asked:?}");
            for question in &asked {
                let (child, parent) = question.split_once(' ').unwrap();
                assert_ne!(child, parent, "of {count}");
            }
        }
    }
}
