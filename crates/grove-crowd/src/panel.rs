//! Any panel: a person comes with an id in the address, and leaves with a code.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Error;

/// The longest id, code or kept parameter of a panel.
const LONGEST: usize = 200;
/// The most parameters that are kept.
const MOST_KEPT: usize = 10;
/// The most questions that a person can be given.
const MOST_QUESTIONS: u32 = 1_000;

/// What a panel needs to know, in the settings that all of them share.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GenericPanel {
    /// The parameter of the address that carries the person's id, such as `participantId` or `PROLIFIC_PID`.
    pub id_parameter: String,
    /// Further parameters to keep with the person.
    #[serde(default)]
    pub kept: Vec<String>,
    /// How many questions a person answers.
    pub questions: u32,
    /// The code that a person gets at the end.
    pub code: String,
    /// The code for people who are turned away, because they do not consent or nothing is left to ask; `code` if
    /// none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turned_away_code: Option<String>,
    /// Where a person is sent at the end: an http(s) address with `{code}`, `{worker}`, `{session}` and `{study}` in
    /// it. If none, the code is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redirect: Option<String>,
    /// The parameter that carries the session of the person, if the panel has sessions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_parameter: Option<String>,
    /// The parameter that carries the study.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub study_parameter: Option<String>,
    /// What a person who has finished is owed, in cents, for panels that are paid by hand.
    #[serde(default)]
    pub reward_cents: u64,
    /// The most people, if there is a limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_people: Option<u32>,
}

/// A person who comes from a panel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Visit {
    /// The person's id at the panel.
    pub person: String,
    /// The session, if the panel has sessions.
    pub session: Option<String>,
    /// The study.
    pub study: Option<String>,
    /// The parameters that are kept.
    pub kept: BTreeMap<String, String>,
}

/// How a person leaves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Completion {
    /// The code.
    pub code: String,
    /// Where to go, if the panel says so.
    pub url: Option<String>,
}

impl GenericPanel {
    /// The settings of a Prolific study.
    #[must_use]
    pub fn prolific(questions: u32, code: String, turned_away_code: String) -> Self {
        Self {
            id_parameter: "PROLIFIC_PID".to_owned(),
            kept: Vec::new(),
            questions,
            code,
            turned_away_code: Some(turned_away_code),
            redirect: Some("https://app.prolific.com/submissions/complete?cc={code}".to_owned()),
            session_parameter: Some("SESSION_ID".to_owned()),
            study_parameter: Some("STUDY_ID".to_owned()),
            reward_cents: 0,
            most_people: None,
        }
    }

    /// Checks the settings.
    ///
    /// # Errors
    /// [`Error::BadPanel`] with the field.
    pub fn check(&self) -> Result<(), Error> {
        parameter("id_parameter", &self.id_parameter)?;
        if self.kept.len() > MOST_KEPT {
            return Err(bad("kept", format!("at most {MOST_KEPT} parameters can be kept")));
        }
        let others = self.kept.iter().map(|name| ("kept", name));
        let others = others.chain(self.session_parameter.iter().map(|name| ("session_parameter", name)));
        for (field, name) in others.chain(self.study_parameter.iter().map(|name| ("study_parameter", name))) {
            parameter(field, name)?;
            if *name == self.id_parameter {
                return Err(bad(field, "it is the parameter of the person's id".to_owned()));
            }
        }
        if !(1..=MOST_QUESTIONS).contains(&self.questions) {
            return Err(bad("questions", format!("a person answers 1 to {MOST_QUESTIONS} questions")));
        }
        code("code", &self.code)?;
        self.turned_away_code.as_deref().map_or(Ok(()), |turned| code("turned_away_code", turned))?;
        self.redirect.as_deref().map_or(Ok(()), check_redirect)?;
        if self.most_people == Some(0) {
            return Err(bad("most_people", "leave it out if there is no limit".to_owned()));
        }
        Ok(())
    }

    /// Reads a person from the query parameters; `None` without an id, or with an invalid one.
    #[must_use]
    pub fn visit(&self, parameters: &[(String, String)]) -> Option<Visit> {
        let value = |name: &str| {
            let found = parameters.iter().find(|(key, _)| key == name).map(|(_, value)| value.trim());
            found.filter(|value| is_plain(value)).map(str::to_owned)
        };
        // Panels that do not fill in their template leave it as it is.
        let person = value(&self.id_parameter).filter(|id| !id.contains(['{', '%']))?;
        let kept = self.kept.iter().filter_map(|name| Some((name.clone(), value(name)?))).collect();
        let session = self.session_parameter.as_deref().and_then(value);
        let study = self.study_parameter.as_deref().and_then(value);
        Some(Visit { person, session, study, kept })
    }

    /// How a person leaves who has finished, or was turned away.
    #[must_use]
    pub fn leave(
        &self,
        person: &str,
        session: Option<&str>,
        study: Option<&str>,
        has_finished: bool,
    ) -> Completion {
        let turned_away = self.turned_away_code.as_ref().filter(|_| !has_finished);
        let code = turned_away.unwrap_or(&self.code).clone();
        let url = self.redirect.as_ref().map(|template| {
            let parts = [
                ("{code}", code.as_str()),
                ("{worker}", person),
                ("{session}", session.unwrap_or_default()),
                ("{study}", study.unwrap_or_default()),
            ];
            fill(template, &parts)
        });
        Completion { code, url }
    }

    /// The address by which people come from the panel, for panels that fill in `{{%NAME%}}` and for those that append.
    #[must_use]
    pub fn entry_url(&self, base: &str) -> String {
        let mut names = vec![self.id_parameter.as_str()];
        names.extend(self.study_parameter.as_deref());
        names.extend(self.session_parameter.as_deref());
        names.extend(self.kept.iter().map(String::as_str));
        let query: Vec<String> = names.iter().map(|name| format!("{name}={{{{%{name}%}}}}")).collect();
        format!("{base}?{}", query.join("&"))
    }
}

/// Replaces all names at once, so that a value which looks like a name stays a value.
fn fill(template: &str, parts: &[(&str, &str)]) -> String {
    let (mut filled, mut rest) = (String::new(), template);
    while let Some(at) = rest.find('{') {
        filled.push_str(&rest[..at]);
        rest = &rest[at..];
        match parts.iter().find(|(name, _)| rest.starts_with(name)) {
            Some((name, value)) => {
                filled.push_str(&percent_encoded(value));
                rest = &rest[name.len()..];
            }
            None => {
                filled.push('{');
                rest = &rest[1..];
            }
        }
    }
    filled + rest
}

/// A value as it may stand in a query: everything but letters, digits and `-._~` is encoded.
fn percent_encoded(value: &str) -> String {
    value.bytes().fold(String::new(), |mut text, byte| {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                text.push(char::from(byte))
            }
            _ => text.push_str(&format!("%{byte:02X}")),
        }
        text
    })
}

fn check_redirect(template: &str) -> Result<(), Error> {
    let wrong = |problem: &str| Err(bad("redirect", problem.to_owned()));
    let lower = template.to_ascii_lowercase();
    let Some(rest) = lower.strip_prefix("https://").or_else(|| lower.strip_prefix("http://")) else {
        return wrong("it must begin with https:// or http://");
    };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if host.is_empty() || host.contains(['{', '@', '\\']) {
        return wrong("it must name the panel's host, and no part of that may be filled in");
    }
    if template.len() > 2_000 || template.chars().any(|letter| letter.is_control() || letter.is_whitespace())
    {
        return wrong("it must be one address without spaces, of at most 2,000 bytes");
    }
    if !template.contains("{code}") {
        return wrong("it must contain {code}, or the panel does not know that the person has finished");
    }
    Ok(())
}

fn parameter(field: &'static str, name: &str) -> Result<(), Error> {
    let is_name = !name.is_empty()
        && name.len() <= 64
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
    if is_name {
        Ok(())
    } else {
        Err(bad(field, "it is letters, digits, '_', '-' and '.', up to 64".to_owned()))
    }
}

fn code(field: &'static str, code: &str) -> Result<(), Error> {
    if is_plain(code) && !code.contains(char::is_whitespace) {
        Ok(())
    } else {
        Err(bad(field, format!("a code is 1 to {LONGEST} characters without spaces")))
    }
}

fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.len() <= LONGEST && !text.chars().any(char::is_control)
}

fn bad(field: &'static str, problem: String) -> Error {
    Error::BadPanel { field, problem }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panel() -> GenericPanel {
        GenericPanel {
            redirect: Some("https://panel.example/done?c={code}&w={worker}&s={session}&x={other}".to_owned()),
            session_parameter: Some("session".to_owned()),
            ..GenericPanel {
                id_parameter: "participantId".to_owned(),
                kept: vec!["source".to_owned()],
                questions: 20,
                code: "C0DE".to_owned(),
                turned_away_code: Some("N0".to_owned()),
                redirect: None,
                session_parameter: None,
                study_parameter: None,
                reward_cents: 0,
                most_people: None,
            }
        }
    }

    fn query(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn a_person_comes_with_an_id_and_leaves_with_a_code() {
        panel().check().unwrap();
        let visit = panel().visit(&query(&[
            ("participantId", " ab1 "),
            ("source", "mail"),
            ("session", "s9"),
            ("x", "y"),
        ]));
        let visit = visit.unwrap();
        assert_eq!((visit.person.as_str(), visit.session.as_deref()), ("ab1", Some("s9")));
        assert_eq!(visit.kept.into_iter().collect::<Vec<_>>(), query(&[("source", "mail")]));
        let done = panel().leave("a{code}&b", Some("s9"), None, true);
        assert_eq!(done.code, "C0DE");
        assert_eq!(done.url.unwrap(), "https://panel.example/done?c=C0DE&w=a%7Bcode%7D%26b&s=s9&x={other}");
        assert_eq!(panel().leave("ab1", None, None, false).code, "N0");
        assert_eq!(
            GenericPanel { turned_away_code: None, ..panel() }.leave("ab1", None, None, false).code,
            "C0DE"
        );
    }

    #[test]
    fn nobody_comes_without_a_proper_id() {
        let long = "x".repeat(201);
        for id in ["", " ", "{{%PROLIFIC_PID%}}", "a\nb", long.as_str()] {
            assert_eq!(panel().visit(&query(&[("participantId", id)])), None, "{id:?}");
        }
        assert_eq!(panel().visit(&query(&[("PID", "ab1")])), None);
    }

    #[test]
    fn settings_that_make_no_sense_are_refused_by_name() {
        let redirect = |to: &str| GenericPanel { redirect: Some(to.to_owned()), ..panel() };
        let wrong = [
            (GenericPanel { id_parameter: "a b".into(), ..panel() }, "id_parameter"),
            (GenericPanel { kept: vec!["participantId".into()], ..panel() }, "kept"),
            (GenericPanel { questions: 0, ..panel() }, "questions"),
            (GenericPanel { code: "two words".into(), ..panel() }, "code"),
            (GenericPanel { most_people: Some(0), ..panel() }, "most_people"),
            (redirect("javascript:alert('{code}')"), "redirect"),
            (redirect("data:text/html,{code}"), "redirect"),
            (redirect("//panel.example/{code}"), "redirect"),
            (redirect("https://{worker}/{code}"), "redirect"),
            (redirect("https://panel.example@evil.example/{code}"), "redirect"),
            (redirect("https:///{code}"), "redirect"),
            (redirect("https://panel.example/done"), "redirect"),
            (redirect("https://panel.example/ {code}"), "redirect"),
        ];
        for (panel, expected) in wrong {
            match panel.check() {
                Err(Error::BadPanel { field, .. }) => assert_eq!(field, expected, "{panel:?}"),
                other => panic!("{panel:?} gives {other:?}"),
            }
        }
        redirect("HTTP://localhost:3000/x?cc={code}").check().unwrap();
    }

    #[test]
    fn the_entry_of_a_prolific_study_is_as_prolific_wants_it() {
        let panel = GenericPanel::prolific(20, "C1".into(), "C2".into());
        panel.check().unwrap();
        let url = panel.entry_url("https://grove.example/p/1");
        assert_eq!(
            url,
            "https://grove.example/p/1?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
        );
    }
}
