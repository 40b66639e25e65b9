use askama::Template;
use axum::extract::{Multipart, State};
use axum::response::{IntoResponse, Redirect, Response};
use grove_campaign::{Budget, NewConcept, Settings};
use grove_formats::{Article, ConceptList, ListedConcept, Place, Source, look_alikes, read_concepts};
use serde::Deserialize;

use super::layout::{Layout, render, sentence, with_error};
use super::upload::Upload;
use crate::app::App;
use crate::auth::Account;
use crate::http_error::{HttpError, Result};

/// The fields of the form, as typed.
#[derive(Default, Deserialize)]
#[serde(default)]
struct NewCampaignForm {
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
#[template(path = "new_campaign.html")]
struct NewCampaignPage {
    layout: Layout,
    error: Option<String>,
    form: NewCampaignForm,
    relations: &'static [(&'static str, &'static str)],
    examples: Vec<String>,
    count: usize,
    /// Names that are easily taken for each other, in words.
    look_alikes: Vec<String>,
}

const OWN: &str = "own";
const RELATIONS: &[(&str, &str)] = &[
    ("is-a", "Is a … a kind of …?"),
    ("part-of", "Is a … a part of a …?"),
    ("look-under", "Would you look for a … under …?"),
    (OWN, "My own wording"),
];

/// The number of example questions.
const EXAMPLES: usize = 6;

/// What is shown of a campaign before it is created.
#[derive(Default)]
struct Preview {
    examples: Vec<String>,
    count: usize,
    look_alikes: Vec<String>,
}

fn page(
    account: &Account,
    form: NewCampaignForm,
    error: Option<String>,
    Preview { examples, count, look_alikes }: Preview,
) -> Result<Response> {
    let layout = Layout::new("New campaign", Some(account));
    render(&NewCampaignPage { layout, error, form, relations: RELATIONS, examples, count, look_alikes })
}

pub(super) async fn form(account: Account) -> Result<Response> {
    let form = NewCampaignForm {
        relation: "is-a".to_owned(),
        language: "en".to_owned(),
        consent: "Your answers are used to build a hierarchy of concepts. They are stored without your name."
            .to_owned(),
        price: "0".to_owned(),
        ..NewCampaignForm::default()
    };
    page(&account, form, None, Default::default())
}

/// Shows example questions, or creates the campaign.
pub(super) async fn create(State(app): State<App>, account: Account, upload: Multipart) -> Result<Response> {
    let upload = Upload::read(upload).await?;
    let mut form: NewCampaignForm = upload.form()?;
    let (mut settings, list) = match form.settings().and_then(|settings| Ok((settings, concepts(&upload)?))) {
        Ok(plan) => plan,
        Err(error) => return refuse(&account, form, error),
    };
    settings.origin = list.heading().and_then(|heading| heading.origin.clone());
    let concepts = new_concepts(&list);
    // Browsers do not send a file again, so what was read from it continues as text.
    form.concepts = concepts.iter().map(line).collect();
    if upload.text("do") == "preview" {
        let names = concepts.iter().map(|concept| concept.name.as_str());
        let look_alikes = look_alikes([settings.root.as_str()], names);
        let preview = Preview {
            examples: examples(&settings, &concepts)?,
            count: concepts.len(),
            look_alikes: look_alikes.iter().map(ToString::to_string).collect(),
        };
        return page(&account, form, None, preview);
    }
    match app.workspace.create_campaign(&account.caller(), form.title.trim(), settings, &concepts).await {
        Ok(id) => Ok(Redirect::to(&format!("/campaigns/{id}/invite")).into_response()),
        Err(error) => refuse(&account, form, error.into()),
    }
}

fn refuse(account: &Account, form: NewCampaignForm, error: HttpError) -> Result<Response> {
    with_error(page(account, form, Some(sentence(&error)), Default::default())?, error)
}

impl NewCampaignForm {
    fn settings(&self) -> Result<Settings> {
        let relation = if self.relation == OWN { &self.own } else { &self.relation };
        let settings = Settings {
            title: self.title.trim().to_owned(),
            root: self.root.trim().to_owned(),
            language: self.language.trim().to_owned(),
            relation: relation.trim().to_owned(),
            consent: self.consent.trim().replace("\r\n", "\n"),
            price_cents: amount("the price", &self.price)?.unwrap_or(0.0),
            budget: Budget { votes: amount("the vote limit", &self.budget)?, cents: None },
            ..Settings::default()
        };
        settings.check()?;
        Ok(settings)
    }
}

/// Parses an optional number.
pub(super) fn amount<T: std::str::FromStr>(field: &str, text: &str) -> Result<Option<T>> {
    let text = text.trim().replace(',', ".");
    if text.is_empty() {
        return Ok(None);
    }
    text.parse()
        .map(Some)
        .map_err(|_| HttpError::BadRequest(format!("{field} must be a number, not {text:?}")))
}

fn concepts(upload: &Upload) -> Result<ConceptList> {
    match &upload.file {
        Some((name, bytes)) => Ok(read_concepts(&Source::new(name.clone(), bytes)?)?),
        None => pasted(upload.text("concepts")),
    }
}

fn new_concepts(list: &ConceptList) -> Vec<NewConcept> {
    list.concepts().iter().map(NewConcept::from).collect()
}

/// Reads typed or pasted concepts: a table if the first line is a header, else one concept per line.
fn pasted(text: &str) -> Result<ConceptList> {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let is_heading = |cell: &str| {
        ["definition", "synonyms", "article"].contains(&cell.trim().to_ascii_lowercase().as_str())
    };
    let tables = [('\t', "concepts.tsv"), (',', "concepts.csv")];
    if let Some((_, name)) = tables.into_iter().find(|(separator, _)| first.split(*separator).any(is_heading))
    {
        return Ok(read_concepts(&Source::new(name, text.as_bytes())?)?);
    }
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let listed = lines.map(|(at, line)| {
        let mut cells = line.split('\t');
        let mut cell = || cells.next().unwrap_or_default();
        Ok(ListedConcept {
            name: cell().to_owned(),
            definition: Some(cell().to_owned()),
            synonyms: cell().split('|').map(str::to_owned).filter(|synonym| !synonym.is_empty()).collect(),
            article: Article::parse(cell())?,
            line: Some(at + 1),
            ..ListedConcept::default()
        })
    });
    let listed = listed.collect::<grove_formats::Result<_>>()?;
    Ok(ConceptList::new(listed, &Place::file("the list"))?)
}

/// A concept as a line of the form, which [`pasted`] can read.
fn line(concept: &NewConcept) -> String {
    let NewConcept { name, definition, synonyms, article, .. } = concept;
    let definition = definition.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = format!("{name}\t{definition}\t{}\t{article}", synonyms.join("|"));
    format!("{}\n", line.trim_end_matches('\t'))
}

/// Questions about concepts from all over the list.
fn examples(settings: &Settings, concepts: &[NewConcept]) -> Result<Vec<String>> {
    let wording = settings.wording()?.for_names(concepts.iter().map(|concept| concept.name.as_str()));
    let count = concepts.len();
    let others = count.saturating_sub(1);
    // The step from child to parent is between 1 and `others`, so the two always differ.
    let pair = |nth: usize| {
        let child = nth * count / EXAMPLES;
        (child, (child + 1 + (nth * 5 + others / 2) % others) % count)
    };
    let pairs = (0..if others == 0 { 0 } else { EXAMPLES }).map(pair);
    let mut asked: Vec<String> =
        pairs.map(|(child, parent)| wording.ask(&concepts[child], &concepts[parent]).to_string()).collect();
    asked.dedup();
    Ok(asked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn concepts_survive_being_written_back_into_the_form() {
        let read = |text: &str| new_concepts(&pasted(text).unwrap());
        let table =
            "name,definition,synonyms,article\nbrie,\"soft, white\",b1|b2,none\ngouda,,g,\nfeta,,,a\n";
        let concepts = read(table);
        assert_eq!(concepts[0].synonyms, ["b1", "b2"]);
        assert_eq!(read(&concepts.iter().map(line).collect::<String>()), concepts);
        assert_eq!(read("salt, fine\r\n\r\n pepper \r\n").len(), 2, "a comma belongs to a name");
        let refused = pasted("brie\n\nBrie").unwrap_err().to_string();
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
