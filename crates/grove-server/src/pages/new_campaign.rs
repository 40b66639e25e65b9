use askama::Template;
use axum::extract::{Multipart, State};
use axum::response::{IntoResponse, Redirect, Response};
use grove_campaign::{Asked, Budget, Error, NewConcept, Preset, Settings, ShownConcept, TargetSetting};
use grove_formats::{Article, ConceptList, ListedConcept, Place, Source, look_alikes, read_concepts};
use grove_store::{Form, Kind, Question, Screen};
use serde::Deserialize;

use super::layout::{Layout, render, sentence, with_error};
use super::options::{CURRENCIES, FormBoxes, LANGUAGES, PRESETS, form_label};
use super::refusals::Refusals;
use super::upload::Upload;
use super::{invite, work};
use crate::app::App;
use crate::auth::Account;
use crate::http_error::{HttpError, Result};

/// The fields of the form, as typed.
#[derive(Clone, Default, Deserialize)]
#[serde(default)]
struct NewCampaignForm {
    title: String,
    concepts: String,
    /// The file that the concepts came from.
    kept: String,
    root: String,
    relation: String,
    own: String,
    language: String,
    /// Who answers, by the word for the preset.
    people: String,
    #[serde(flatten)]
    forms: FormBoxes,
    consent: String,
    currency: String,
    price: String,
    /// The most votes.
    votes: String,
    /// The most money.
    budget: String,
    target: String,
}

#[derive(Template)]
#[template(path = "new_campaign.html")]
struct NewCampaignPage {
    layout: Layout,
    form: NewCampaignForm,
    refusals: Refusals,
    relations: &'static [(&'static str, &'static str, &'static str)],
    languages: &'static [(&'static str, &'static str)],
    currencies: &'static [&'static str],
    preview: Preview,
}

/// Who may answer.
struct PresetCard {
    name: &'static str,
    label: &'static str,
    hint: &'static str,
    is_chosen: bool,
    /// The forms of question that go with it, which a script ticks.
    forms: String,
}

/// What the page shows while the form is being filled.
#[derive(Template)]
#[template(path = "new_preview.html")]
struct PreviewPart {
    preview: Preview,
}

const OWN: &str = "own";
const RELATIONS: &[(&str, &str, &str)] = &[
    ("is-a", "Is a … a kind of …?", "For kinds of things"),
    ("part-of", "Is a … a part of a …?", "For parts of a whole"),
    ("look-under", "Would you look for a … under …?", "For the menus of a shop or a site"),
    (OWN, "My own wording", "With the places of the two names in it"),
];

/// The most places in the preview of a question where a concept belongs: the page for workers shows no more either.
const PLACES: usize = 300;

/// What is shown of a campaign before it is created.
#[derive(Default)]
struct Preview {
    /// What is wrong so far.
    problem: Option<String>,
    /// The first question in each form.
    screens: Vec<PreviewScreen>,
    count: usize,
    /// What becomes of the hierarchy that the concepts are in, if they are in one.
    start: Option<String>,
    /// Names that are easily taken for each other, in words.
    look_alikes: Vec<String>,
}

/// A question as workers will see it.
struct PreviewScreen {
    form: &'static str,
    label: &'static str,
    question: String,
    /// The page of the worker, as HTML.
    page: String,
}

impl Preview {
    fn new(settings: &Settings, list: &ConceptList) -> Result<Self> {
        let concepts = NewConcept::listed(list);
        let names = concepts.iter().map(|concept| concept.name.as_str());
        Ok(Self {
            problem: None,
            screens: screens(settings, &concepts)?,
            count: concepts.len(),
            start: start(list),
            look_alikes: look_alikes([settings.root.as_str()], names)
                .iter()
                .map(ToString::to_string)
                .collect(),
        })
    }

    /// What can be said about a form that is not complete: what is missing is no problem yet.
    fn of(form: &NewCampaignForm, upload: &Upload) -> Self {
        let list = match Given::read(upload) {
            Ok(given) => given.list,
            Err(error) => return Self { problem: Some(sentence(&error)), ..Self::default() },
        };
        let complete = |text: &str, otherwise: &str| {
            if text.trim().is_empty() { otherwise.to_owned() } else { text.to_owned() }
        };
        let form = NewCampaignForm {
            title: complete(&form.title, "title"),
            root: complete(&form.root, "everything"),
            own: complete(&form.own, "{child} {parent}"),
            // Workers see none of these.
            price: String::new(),
            votes: String::new(),
            budget: String::new(),
            target: String::new(),
            ..form.clone()
        };
        let preview = match form.settings() {
            Ok(settings) => Self::new(&settings, &list).map_err(|error| sentence(&error)),
            Err(refusals) => Err(refusals.first().unwrap_or_default().to_owned()),
        };
        preview.unwrap_or_else(|problem| Self {
            problem: Some(problem),
            count: list.concepts().len(),
            ..Self::default()
        })
    }
}

fn page(account: &Account, form: NewCampaignForm, refusals: Refusals, preview: Preview) -> Result<Response> {
    let layout = Layout::new("New campaign", Some(account));
    let (relations, languages, currencies) = (RELATIONS, LANGUAGES, CURRENCIES);
    render(&NewCampaignPage { layout, form, refusals, relations, languages, currencies, preview })
}

pub(super) async fn form(account: Account) -> Result<Response> {
    let form = NewCampaignForm {
        relation: "is-a".to_owned(),
        language: "en".to_owned(),
        people: Preset::Crowd.as_str().to_owned(),
        forms: FormBoxes::of(&Preset::Crowd.forms()),
        consent: "Your answers are used to build a hierarchy of concepts. They are stored without your name."
            .to_owned(),
        price: "0".to_owned(),
        ..NewCampaignForm::default()
    };
    page(&account, form, Default::default(), Default::default())
}

/// What workers will see, for a form that is being filled.
pub(super) async fn preview(_: Account, upload: Multipart) -> Result<Response> {
    let upload = Upload::read(upload).await?;
    let preview = Preview::of(&upload.form()?, &upload);
    render(&PreviewPart { preview })
}

/// Creates the campaign with a first invitation; or, without a script, shows example questions.
pub(super) async fn create(State(app): State<App>, account: Account, upload: Multipart) -> Result<Response> {
    let upload = Upload::read(upload).await?;
    let mut form: NewCampaignForm = upload.form()?;
    let Given { list, kept } = match Given::read(&upload) {
        Ok(given) => given,
        Err(error) => {
            let field = if upload.file.is_some() { "file" } else { "concepts" };
            return refuse(&account, form, &upload, Refusals::of_field(field, &error.to_string()), error);
        }
    };
    let concepts = NewConcept::listed(&list);
    // Browsers do not send a file again, so what was read from it continues as text, to be edited.
    (form.concepts, form.kept) = (table(&concepts), kept);
    let mut settings = match form.settings() {
        Ok(settings) => settings,
        Err(refusals) => {
            let error = HttpError::BadRequest(refusals.first().unwrap_or_default().to_owned());
            return refuse(&account, form, &upload, refusals, error);
        }
    };
    settings.origin = list.heading().and_then(|heading| heading.origin.clone());
    if upload.text("do") == "preview" {
        let preview = Preview::new(&settings, &list)?;
        return page(&account, form, Refusals::default(), preview);
    }
    let created =
        app.workspace.create_campaign(&account.caller(), form.title.trim(), settings, &concepts).await;
    let id = match created {
        Ok(id) => id,
        Err(error) => {
            let field = match &error {
                Error::Store(grove_store::Error::BadName | grove_store::Error::NameTaken(_)) => "title",
                _ => "concepts",
            };
            let refusals = Refusals::of_field(field, &error.to_string());
            return refuse(&account, form, &upload, refusals, error.into());
        }
    };
    let campaign = app.workspace.campaign(account.caller(), id).await?;
    let cookie = invite::first_link(&app, &campaign, id).await?;
    Ok((cookie, Redirect::to(&format!("/campaigns/{id}/invite"))).into_response())
}

/// The page with what was typed, and why fields were refused.
fn refuse(
    account: &Account,
    form: NewCampaignForm,
    upload: &Upload,
    refusals: Refusals,
    error: HttpError,
) -> Result<Response> {
    let preview = Preview::of(&form, upload);
    with_error(page(account, form, refusals, preview)?, error)
}

impl NewCampaignForm {
    fn is_other_language(&self) -> bool {
        LANGUAGES.iter().all(|(tag, _)| *tag != self.language)
    }

    fn preset(&self) -> Preset {
        Preset::ALL.into_iter().find(|preset| preset.as_str() == self.people).unwrap_or(Preset::Crowd)
    }

    /// Who may answer.
    fn presets(&self) -> Vec<PresetCard> {
        let card = |(preset, label, hint): (Preset, _, _)| PresetCard {
            name: preset.as_str(),
            label,
            hint,
            is_chosen: preset == self.preset(),
            forms: preset.forms().iter().map(|form| form.as_str()).collect::<Vec<_>>().join(" "),
        };
        PRESETS.into_iter().map(card).collect()
    }

    /// The settings that the form asks for, or what is wrong with each field.
    fn settings(&self) -> std::result::Result<Settings, Refusals> {
        let mut refusals = Refusals::default();
        let relation = if self.relation == OWN { &self.own } else { &self.relation };
        let cents = |amount: f64| (amount * 1e6).round() / 1e4;
        let settings = Settings {
            title: self.title.trim().to_owned(),
            root: self.root.trim().to_owned(),
            language: self.language.trim().to_owned(),
            relation: relation.trim().to_owned(),
            consent: self.consent.trim().replace("\r\n", "\n"),
            currency: self.currency.clone(),
            price_cents: refusals.number("price", &self.price).map_or(0.0, cents),
            budget: Budget {
                votes: refusals.number("votes", &self.votes),
                cents: refusals.number("budget", &self.budget).map(cents),
            },
            target: refusals
                .number("target", &self.target)
                .map(|per_cent: f64| TargetSetting { certainty: per_cent / 100.0, mean: false }),
            forms: self.forms.forms(&[]),
            ..Settings::new(self.preset())
        };
        refusals.check(settings)
    }
}

/// The concepts that a form has.
struct Given {
    list: ConceptList,
    /// The file that they came from, as the form keeps it; empty if they were typed.
    kept: String,
}

impl Given {
    /// Reads the file that was chosen; or the one that was chosen before, as long as nobody edits the table that was made of it, which cannot hold all that
    /// a file can; or what was typed.
    fn read(upload: &Upload) -> Result<Self> {
        if let Some((name, bytes)) = &upload.file {
            let source = Source::new(name.clone(), bytes)?;
            let kept = serde_json::to_string(&(name, source.text())).map_err(|_| HttpError::Internal)?;
            return Ok(Self { list: read_concepts(&source)?, kept });
        }
        let (typed, kept) = (upload.text("concepts"), upload.text("kept"));
        if let Ok((name, text)) = serde_json::from_str::<(String, String)>(kept) {
            let list = read_concepts(&Source::new(name, text.as_bytes())?)?;
            if table(&NewConcept::listed(&list)).lines().eq(typed.lines()) {
                return Ok(Self { list, kept: kept.to_owned() });
            }
        }
        Ok(Self { list: pasted(typed)?, kept: String::new() })
    }
}

/// What becomes of the hierarchy of a list.
fn start(list: &ConceptList) -> Option<String> {
    match list.hierarchy() {
        Ok(None) => None,
        Ok(Some(_)) => {
            Some("The campaign starts from the hierarchy that they are in, and people check it.".to_owned())
        }
        Err(problem) => Some(format!("The hierarchy that they are in is not used: {problem}.")),
    }
}

/// Reads typed or pasted concepts: a table if the first line is a header, else one concept per line.
fn pasted(text: &str) -> Result<ConceptList> {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let is_header = |separator: char| {
        let cells: Vec<String> =
            first.split(separator).map(|cell| cell.trim().to_ascii_lowercase()).collect();
        let has = |names: &[&str]| cells.iter().any(|cell| names.contains(&cell.as_str()));
        // A concept may be called a parent.
        has(&["definition", "synonyms", "article"])
            || has(&["parent", "broader"]) && has(&["child", "concept", "name"])
    };
    let tables = [('\t', "concepts.tsv"), (',', "concepts.csv")];
    if let Some((_, name)) = tables.into_iter().find(|(separator, _)| is_header(*separator)) {
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

/// Concepts as the text of the form, which [`pasted`] can read: a line for each, under a header if they are in a hierarchy.
fn table(concepts: &[NewConcept]) -> String {
    if concepts.iter().all(|concept| concept.parent.is_none()) {
        return concepts.iter().map(|concept| line(&cells(concept))).collect();
    }
    // A table with a header may have quoted cells.
    let quoted = |cell: String| match cell.starts_with('#') || cell.contains('"') {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell,
    };
    let row = |concept: &NewConcept| {
        let [name, definition, synonyms, article] = cells(concept);
        let parent = concept.parent.clone().unwrap_or_default();
        line(&[name, parent, definition, synonyms, article].map(quoted))
    };
    let header = line(&["name", "parent", "definition", "synonyms", "article"].map(str::to_owned));
    std::iter::once(header).chain(concepts.iter().map(row)).collect()
}

fn cells(concept: &NewConcept) -> [String; 4] {
    let NewConcept { name, definition, synonyms, article, .. } = concept;
    let definition = definition.split_whitespace().collect::<Vec<_>>().join(" ");
    [name.clone(), definition, synonyms.join("|"), article.clone()]
}

fn line(cells: &[String]) -> String {
    format!("{}\n", cells.join("\t").trim_end_matches('\t'))
}

/// The first question in each form that is allowed.
fn screens(settings: &Settings, concepts: &[NewConcept]) -> Result<Vec<PreviewScreen>> {
    let screen = |asked: Asked| {
        let form = asked.screen.form();
        let is_place = form == Form::Place;
        let others = concepts.iter().skip(1).take(if is_place { PLACES } else { 0 });
        Ok(PreviewScreen {
            form: form.as_str(),
            label: form_label(form),
            question: asked.text.clone(),
            page: work::preview(settings, asked, others.map(|concept| concept.name.clone()).collect())?,
        })
    };
    asked(settings, concepts)?.into_iter().map(screen).collect()
}

/// A screen of each form about the first concept and others from all over the list; none if there are too few for it.
fn asked(settings: &Settings, concepts: &[NewConcept]) -> Result<Vec<Asked>> {
    let wording = settings.wording()?.for_names(concepts.iter().map(|concept| concept.name.as_str()));
    let (first, others) = (1, concepts.len().saturating_sub(1));
    if others == 0 {
        return Ok(Vec::new());
    }
    let middle = 2 + (others / 2) as u32;
    let screen = |form: Form| {
        let most = (*form.options().end()).min(settings.most_options as usize).min(others);
        let options = || (0..most).map(|nth| (2 + nth * others / most) as u32).collect();
        match form {
            Form::YesNo => Some(Question { kind: Kind::Path, upper: middle, lower: first }.into()),
            Form::Pick => Screen::pick(first, options()).ok(),
            Form::Tick => Screen::tick(first, options()).ok(),
            Form::Place => Screen::place(first).ok(),
        }
    };
    let concept = |number: u32| {
        let concept = concepts.get(number as usize - 1).ok_or(Error::NoSuchConcept(number))?;
        let NewConcept { name, definition, .. } = concept.clone();
        Ok((concept.into(), ShownConcept { number, name, definition }))
    };
    let screens = settings.forms.iter().filter_map(|form| screen(*form));
    Ok(screens
        .map(|screen| Asked::new(screen, &wording, concept))
        .collect::<std::result::Result<_, Error>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_sets_who_answers_the_forms_of_question_and_both_limits() {
        let form = NewCampaignForm {
            title: "Food".to_owned(),
            root: "food".to_owned(),
            relation: "is-a".to_owned(),
            language: "en".to_owned(),
            people: "owner".to_owned(),
            forms: FormBoxes::of(&[Form::Place, Form::YesNo]),
            currency: "EUR".to_owned(),
            price: "0.05".to_owned(),
            votes: "400".to_owned(),
            budget: "12,50".to_owned(),
            ..NewCampaignForm::default()
        };
        let settings = form.settings().unwrap();
        assert_eq!(settings.forms, [Form::YesNo, Form::Place]);
        assert_eq!(settings.known_from, Settings::new(Preset::Owner).known_from);
        assert_eq!(settings.budget, Budget { votes: Some(400), cents: Some(1250.0) });
    }

    #[test]
    fn every_bad_field_is_named() {
        let form = NewCampaignForm {
            title: "Food".to_owned(),
            root: "food".to_owned(),
            relation: "is-a".to_owned(),
            language: "en".to_owned(),
            forms: FormBoxes::of(&[Form::YesNo]),
            ..NewCampaignForm::default()
        };
        let refused = |form: &NewCampaignForm| {
            form.settings().unwrap_err().fields().map(str::to_owned).collect::<Vec<_>>()
        };
        let numbers = NewCampaignForm {
            budget: "much".to_owned(),
            price: "little".to_owned(),
            votes: "-1".to_owned(),
            target: "all".to_owned(),
            ..form.clone()
        };
        assert_eq!(refused(&numbers), ["budget", "price", "target", "votes"]);
        assert_eq!(refused(&NewCampaignForm { forms: FormBoxes::default(), ..form.clone() }), ["forms"]);
        assert_eq!(refused(&NewCampaignForm { target: "300".to_owned(), ..form.clone() }), ["target"]);
        assert_eq!(refused(&NewCampaignForm { root: " ".to_owned(), ..form.clone() }), ["root"]);
        let own = NewCampaignForm { relation: OWN.to_owned(), own: "Is it so?".to_owned(), ..form };
        assert_eq!(refused(&own), ["relation"]);
    }

    #[test]
    fn concepts_survive_being_written_back_into_the_form() {
        let read = |text: &str| NewConcept::listed(&pasted(text).unwrap());
        let typed =
            "name,definition,synonyms,article\nbrie,\"soft, white\",b1|b2,none\ngouda,,g,\nfeta,,,a\n";
        let concepts = read(typed);
        assert_eq!(concepts[0].synonyms, ["b1", "b2"]);
        assert_eq!(read(&table(&concepts)), concepts);
        let placed = read("child,parent\n\"5\"\" pipe\",\n\"#1\",\"5\"\" pipe\"\n");
        assert_eq!((placed[1].name.as_str(), placed[1].parent.as_deref()), ("#1", Some("5\" pipe")));
        assert_eq!(read(&table(&placed)), placed);
        assert_eq!(read("parent\nchild, parent of none\n").len(), 2, "they are names");
        assert_eq!(read("salt, fine\r\n\r\n pepper \r\n").len(), 2, "a comma belongs to a name");
        let refused = pasted("brie\n\nBrie").unwrap_err().to_string();
        assert!(refused.contains("line 3"), "{refused}");
    }

    #[test]
    fn the_preview_asks_in_every_form_about_different_concepts() {
        for count in [0, 1, 2, 3, 5, 8, 13, 50] {
            let concepts: Vec<NewConcept> =
                (0..count).map(|at| NewConcept::named(&format!("c{at}"))).collect();
            let settings = Settings { forms: Form::ALL.to_vec(), ..Settings::default() };
            let asked = asked(&settings, &concepts).unwrap();
            // A pick needs two options.
            assert_eq!(asked.len(), [0, 0, 3, 4][count.min(3)], "{count}");
            for one in &asked {
                let mut names: Vec<&str> = one.concepts.iter().map(|concept| concept.name.as_str()).collect();
                names.sort_unstable();
                names.dedup();
                assert_eq!(names.len(), one.concepts.len(), "of {count}: {}", one.text);
            }
        }
    }
}
