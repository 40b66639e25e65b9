use serde_json::{Value, json};

use crate::Cents;

/// What a code means to the panel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CodeKind {
    /// The person has finished; somebody looks at it before it is paid.
    Completed,
    /// The person did not consent, or nothing was left to ask; they return the submission.
    NoConsent,
}

/// A study to be made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewStudy {
    /// What people see.
    pub name: String,
    /// Our name for it, by which it is found again.
    pub internal_name: String,
    /// What people read before they take part.
    pub description: String,
    /// Where they go, with the panel's parameters.
    pub url: String,
    /// How many people.
    pub places: u32,
    /// How long it takes, in minutes.
    pub minutes: u32,
    /// What each person gets.
    pub reward: Cents,
    /// The project, if not the default.
    pub project: Option<String>,
    /// The codes with their meaning.
    pub codes: Vec<(String, CodeKind)>,
    /// Comes back in webhooks.
    pub metadata: String,
}

impl NewStudy {
    pub(super) fn to_json(&self) -> Value {
        let code = |(code, kind): &(String, CodeKind)| match kind {
            CodeKind::Completed => json!({
                "code": code, "code_type": "COMPLETED", "actor": "researcher",
                "actions": [{"action": "MANUALLY_REVIEW"}],
            }),
            CodeKind::NoConsent => json!({
                "code": code, "code_type": "NO_CONSENT", "actor": "participant",
                "actions": [{"action": "REQUEST_RETURN", "return_reason": "There was nothing to do, or you did not consent."}],
            }),
        };
        let mut study = json!({
            "name": self.name,
            "internal_name": self.internal_name,
            "description": self.description,
            "external_study_url": self.url,
            "prolific_id_option": "url_parameters",
            "total_available_places": self.places,
            "estimated_completion_time": self.minutes,
            "reward": self.reward.0,
            "device_compatibility": ["desktop", "tablet", "mobile"],
            "peripheral_requirements": [],
            "submissions_config": {"max_submissions_per_participant": 1},
            "completion_codes": self.codes.iter().map(code).collect::<Vec<_>>(),
            "metadata": self.metadata,
        });
        if let Some(project) = &self.project {
            study["project"] = json!(project);
        }
        study
    }
}
