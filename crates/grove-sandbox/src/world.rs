//! The state of the sandbox and what may happen to it.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use crate::hooks::{Event, HookFaults, Subscription};
use crate::launch;
use crate::money::with_fees;
use crate::people::Visit;

/// How the sandbox behaves.
#[derive(Clone, Debug)]
pub struct SandboxOptions {
    /// The token that it accepts.
    pub token: String,
    /// What is on the account, in cents.
    pub balance: i64,
    /// The fee, in thousandths of what people get.
    pub fee_per_mille: i64,
    /// The tax, in thousandths of the fee.
    pub tax_per_mille: i64,
    /// Of 1,000 requests, so many are answered by 502 and a page that is not JSON; half of them are carried out all the same.
    pub bad_gateways: u32,
    /// Requests wait whose method and path end with this, until it is changed.
    pub held: Option<String>,
    /// Requests are refused whose method and path end with this.
    pub refused: Option<String>,
    /// How long it takes until a bonus is paid that was asked for.
    pub bonus_delay: Duration,
    /// How many seconds the signed token in a person's link is valid; none if links are not signed.
    pub signed_links: Option<i64>,
    /// What the key is called by which they are signed.
    pub key_id: String,
    /// Whether nobody gets the public key.
    pub hides_keys: bool,
    /// What goes wrong with webhooks.
    pub hooks: HookFaults,
    /// The seed of everything random.
    pub seed: u64,
}

impl Default for SandboxOptions {
    fn default() -> Self {
        Self {
            token: "sandbox-token".to_owned(),
            balance: 1_000_000,
            fee_per_mille: 333,
            tax_per_mille: 200,
            bad_gateways: 0,
            held: None,
            refused: None,
            bonus_delay: Duration::ZERO,
            signed_links: None,
            key_id: "sandbox-1".to_owned(),
            hides_keys: false,
            hooks: HookFaults::default(),
            seed: 1,
        }
    }
}

/// What was paid.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Ledger {
    /// How often each submission's reward was paid.
    pub rewards: BTreeMap<String, u32>,
    /// The bonuses of each submission, in cents.
    pub bonuses: BTreeMap<String, Vec<i64>>,
    /// What was taken from the balance, with fees and tax, in cents.
    pub charged: i64,
}

/// A submission as the sandbox knows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SubmissionView {
    /// Its id.
    pub id: String,
    /// The person.
    pub participant: String,
    /// Its status.
    pub status: String,
    /// The code that was handed in.
    pub code: Option<String>,
}

pub(crate) struct Study {
    pub(crate) json: Value,
    pub(crate) status: &'static str,
    pub(crate) places: u32,
    pub(crate) reward: i64,
    pub(crate) url: String,
    pub(crate) metadata: Value,
    codes: Vec<(String, String)>,
}

pub(crate) struct Submission {
    pub(crate) study: String,
    pub(crate) participant: String,
    pub(crate) status: &'static str,
    pub(crate) code: Option<String>,
    pub(crate) started: i64,
    pub(crate) ended: Option<i64>,
    pub(crate) return_requested: bool,
}

pub(crate) struct Batch {
    pub(crate) study: String,
    pub(crate) bonuses: Vec<(String, i64)>,
}

pub(crate) struct World {
    pub(crate) options: SandboxOptions,
    pub(crate) workspace: String,
    pub(crate) hook_secret: String,
    pub(crate) studies: BTreeMap<String, Study>,
    pub(crate) submissions: BTreeMap<String, Submission>,
    pub(crate) batches: BTreeMap<String, Batch>,
    pub(crate) subscriptions: Vec<Subscription>,
    pub(crate) outbox: Vec<Event>,
    /// Webhooks that are being sent at this moment.
    pub(crate) sending: usize,
    pub(crate) ledger: Ledger,
    /// How many requests came.
    pub(crate) requests: u64,
    /// How often somebody asked for the public key.
    pub(crate) key_requests: u64,
    /// How many requests are held.
    pub(crate) holding: usize,
    random: u64,
    ids: u64,
}

/// An answer: the status and the body.
pub(crate) type Answer = (u16, Value);

pub(crate) fn refusal(status: u16, detail: impl Into<Value>) -> Answer {
    let error = json!({"error": {
        "status": status, "error_code": 140_000 + u32::from(status), "title": "Bad request", "detail": detail.into(),
        "additional_information": null,
    }});
    (status, error)
}

/// Microseconds since 1970.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}

impl World {
    pub(crate) fn new(options: SandboxOptions) -> Self {
        let random = options.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut world = Self {
            options,
            workspace: String::new(),
            hook_secret: String::new(),
            studies: BTreeMap::new(),
            submissions: BTreeMap::new(),
            batches: BTreeMap::new(),
            subscriptions: Vec::new(),
            outbox: Vec::new(),
            sending: 0,
            ledger: Ledger::default(),
            requests: 0,
            key_requests: 0,
            holding: 0,
            random,
            ids: 0,
        };
        world.workspace = world.new_id();
        world.new_hook_secret();
        world
    }

    /// Signs webhooks with another secret from now on.
    pub(crate) fn new_hook_secret(&mut self) {
        self.hook_secret = format!("hook-{}{}", self.new_id(), self.new_id());
    }

    /// Marsaglia's xorshift with Vigna's multiplier: good enough for random faults.
    pub(crate) fn random(&mut self) -> u64 {
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        self.random.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Whether something happens that happens so often in 1,000.
    pub(crate) fn happens(&mut self, per_mille: u32) -> bool {
        self.random() % 1000 < u64::from(per_mille)
    }

    /// An id as the panel makes them: 24 hexadecimal digits.
    pub(crate) fn new_id(&mut self) -> String {
        self.ids += 1;
        let random = self.random();
        format!("{:08x}{:016x}", self.ids, random)
    }

    pub(crate) fn price(&self, reward: i64, places: u32) -> i64 {
        with_fees(reward * i64::from(places), self.options.fee_per_mille, self.options.tax_per_mille)
    }

    /// What studies that are open may still cost.
    fn reserved(&self) -> i64 {
        let open =
            self.studies.iter().filter(|(_, study)| !matches!(study.status, "UNPUBLISHED" | "COMPLETED"));
        open.map(|(id, study)| {
            let paid = self.rewards_of(id);
            self.price(study.reward, study.places.max(paid)) - self.price(study.reward, paid)
        })
        .sum()
    }

    /// How many rewards of a study were paid.
    fn rewards_of(&self, study: &str) -> u32 {
        let submissions = self.submissions.iter().filter(|(_, one)| one.study == study);
        submissions.filter_map(|(id, _)| self.ledger.rewards.get(id)).sum()
    }

    pub(crate) fn available(&self) -> i64 {
        self.options.balance - self.ledger.charged - self.reserved()
    }

    pub(crate) fn create_study(&mut self, body: &Value) -> Answer {
        let text = |name: &str| body.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let number = |name: &str| body.get(name).and_then(Value::as_i64).unwrap_or_default();
        let (name, url) = (text("name"), text("external_study_url"));
        let (reward, places, minutes) =
            (number("reward"), number("total_available_places"), number("estimated_completion_time"));
        let codes: Vec<(String, String)> = body
            .get("completion_codes")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(|code| {
                Some((code.get("code")?.as_str()?.to_owned(), code.get("code_type")?.as_str()?.to_owned()))
            })
            .collect();
        let problem = if name.is_empty() || text("description").is_empty() {
            Some("name and description are required")
        } else if !url.contains("{{%PROLIFIC_PID%}}") || !url.contains("{{%SESSION_ID%}}") {
            Some("external_study_url needs the parameters")
        } else if text("prolific_id_option") != "url_parameters" {
            Some("prolific_id_option must be url_parameters")
        } else if places < 1 || minutes < 1 {
            Some("total_available_places and estimated_completion_time must be positive")
        } else if reward * 60 < 800 * minutes {
            Some("the reward is below the minimum of 8.00 per hour")
        } else if codes.is_empty() {
            Some("completion_codes are required")
        } else {
            None
        };
        if let Some(problem) = problem {
            return refusal(400, problem);
        }
        let id = self.new_id();
        let study = Study {
            json: body.clone(),
            status: "UNPUBLISHED",
            places: u32::try_from(places).unwrap_or(u32::MAX),
            reward,
            url,
            metadata: body.get("metadata").cloned().unwrap_or(Value::Null),
            codes,
        };
        self.studies.insert(id.clone(), study);
        (201, self.study_json(&id))
    }

    pub(crate) fn study_json(&self, id: &str) -> Value {
        let Some(study) = self.studies.get(id) else { return Value::Null };
        let mut json = study.json.clone();
        json["id"] = json!(id);
        json["status"] = json!(study.status);
        json["total_available_places"] = json!(study.places);
        json["places_taken"] = json!(self.taken(id));
        json
    }

    /// How many places are taken: those given back are free again.
    fn taken(&self, study: &str) -> u32 {
        let holds = |one: &&Submission| {
            one.study == study && !matches!(one.status, "RETURNED" | "TIMED-OUT" | "REJECTED")
        };
        u32::try_from(self.submissions.values().filter(holds).count()).unwrap_or(u32::MAX)
    }

    pub(crate) fn change_study(&mut self, id: &str, action: &str) -> Answer {
        let Some(study) = self.studies.get(id) else { return refusal(404, "no such study") };
        let next = match (action, study.status) {
            ("PUBLISH", "UNPUBLISHED") => {
                if self.price(study.reward, study.places) > self.available() {
                    return refusal(400, "not enough money in the workspace");
                }
                "ACTIVE"
            }
            ("PAUSE", "ACTIVE") => "PAUSED",
            ("START", "PAUSED") => "ACTIVE",
            ("STOP", "ACTIVE" | "PAUSED") => "AWAITING REVIEW",
            (action, status) => {
                return refusal(400, format!("{action} is not possible while the study is {status}"));
            }
        };
        self.set_study_status(id, next);
        (200, self.study_json(id))
    }

    fn set_study_status(&mut self, id: &str, status: &'static str) {
        let Some(study) = self.studies.get_mut(id) else { return };
        study.status = status;
        let body = json!({
            "event_type": "study.status.change", "resource_id": id, "metadata": study.metadata, "status": status,
        });
        self.emit("study.status.change", body);
    }

    pub(crate) fn patch_study(&mut self, id: &str, body: &Value) -> Answer {
        let Some(study) = self.studies.get(id) else { return refusal(404, "no such study") };
        let Some(places) = body.get("total_available_places").and_then(Value::as_u64) else {
            return refusal(400, "only total_available_places can change");
        };
        let places = u32::try_from(places).unwrap_or(u32::MAX);
        if study.status != "UNPUBLISHED" {
            if body.as_object().is_some_and(|fields| fields.len() > 1) {
                return refusal(400, "only total_available_places can change once a study is published");
            }
            if places < study.places {
                return refusal(400, "places can only grow");
            }
            let more = self.price(study.reward, places) - self.price(study.reward, study.places);
            if more > self.available() {
                return refusal(400, "not enough money in the workspace");
            }
        }
        let (status, grew) = (study.status, places > study.places);
        if let Some(study) = self.studies.get_mut(id) {
            study.places = places;
        }
        if grew && matches!(status, "AWAITING REVIEW" | "COMPLETED") {
            self.set_study_status(id, "ACTIVE");
        }
        (200, self.study_json(id))
    }

    pub(crate) fn take_place(&mut self, id: &str) -> Option<Visit> {
        let taken = self.taken(id);
        let study = self.studies.get(id).filter(|study| study.status == "ACTIVE" && taken < study.places)?;
        let url = study.url.clone();
        let (submission, participant) = (self.new_id(), self.new_id());
        let one = Submission {
            study: id.to_owned(),
            participant: participant.clone(),
            status: "RESERVED",
            code: None,
            started: now(),
            ended: None,
            return_requested: false,
        };
        self.submissions.insert(submission.clone(), one);
        self.announce(&submission);
        self.set_status(&submission, "ACTIVE");
        let url = url
            .replace("{{%PROLIFIC_PID%}}", &participant)
            .replace("{{%STUDY_ID%}}", id)
            .replace("{{%SESSION_ID%}}", &submission);
        let mut visit = Visit { url, submission, participant, study: id.to_owned() };
        if let Some(seconds) = self.options.signed_links {
            let parts = launch::parts(&visit, &self.options.key_id, &self.workspace, seconds);
            visit.url.push_str(&format!("&prolific_token={}", launch::signed(parts)));
        }
        Some(visit)
    }

    /// The person hands in a code; whether the panel takes it.
    pub(crate) fn hand_in(&mut self, submission: &str, code: &str) -> bool {
        let Some(one) = self.submissions.get_mut(submission) else { return false };
        if !matches!(one.status, "ACTIVE" | "TIMED-OUT") {
            return false;
        }
        one.code = Some(code.to_owned());
        one.ended = Some(now());
        let study = one.study.clone();
        let kind = self.studies.get(&study).and_then(|study| {
            study.codes.iter().find(|(known, _)| known == code).map(|(_, kind)| kind.clone())
        });
        self.set_status(
            submission,
            if kind.as_deref() == Some("NO_CONSENT") { "RETURNED" } else { "AWAITING REVIEW" },
        );
        let is_full = |world: &Self| {
            let done = |one: &&Submission| {
                one.study == study
                    && matches!(one.status, "AWAITING REVIEW" | "APPROVED" | "PARTIALLY APPROVED")
            };
            let done = world.submissions.values().filter(done).count();
            world.studies.get(&study).is_some_and(|of| of.status == "ACTIVE" && done >= of.places as usize)
        };
        if is_full(self) {
            self.set_study_status(&study, "AWAITING REVIEW");
        }
        true
    }

    pub(crate) fn set_status(&mut self, submission: &str, status: &'static str) {
        if let Some(one) = self.submissions.get_mut(submission) {
            one.status = status;
            self.announce(submission);
        }
    }

    fn announce(&mut self, submission: &str) {
        let Some(one) = self.submissions.get(submission) else { return };
        let body = json!({
            "event_type": "submission.status.change", "resource_id": submission, "participant_id": one.participant,
            "status": one.status,
        });
        self.emit("submission.status.change", body);
    }

    pub(crate) fn change_submission(&mut self, id: &str, action: &str) -> Answer {
        let Some(one) = self.submissions.get(id) else { return refusal(404, "no such submission") };
        match (action, one.status) {
            ("APPROVE", "AWAITING REVIEW") => {
                let study = one.study.clone();
                let reward = self.studies.get(&one.study).map_or(0, |study| study.reward);
                // Fees are rounded on the sum, as the calculator does, so that all rewards together cost what it said.
                let paid = self.rewards_of(&one.study);
                self.ledger.charged += self.price(reward, paid + 1) - self.price(reward, paid);
                *self.ledger.rewards.entry(id.to_owned()).or_default() += 1;
                self.set_status(id, "APPROVED");
                // The study has ended once as many people are approved as it has places; one that was stopped before waits for ever.
                let is_complete = self
                    .studies
                    .get(&study)
                    .is_some_and(|of| of.status == "AWAITING REVIEW" && self.rewards_of(&study) >= of.places);
                if is_complete {
                    self.set_study_status(&study, "COMPLETED");
                }
            }
            ("APPROVE", "APPROVED") => {}
            ("APPROVE", "ACTIVE" | "RESERVED") => return refusal(400, "the submission is not complete yet"),
            (action, status) => {
                return refusal(400, format!("{action} is not possible for a submission that is {status}"));
            }
        }
        (200, self.submission_json(id))
    }

    pub(crate) fn request_return(&mut self, id: &str) -> Answer {
        let Some(one) = self.submissions.get_mut(id) else { return refusal(404, "no such submission") };
        if !matches!(one.status, "TIMED-OUT" | "AWAITING REVIEW") {
            return refusal(400, format!("a submission that is {} cannot be returned", one.status));
        }
        one.return_requested = true;
        (200, self.submission_json(id))
    }

    /// A submission shown alone: the person is `participant`.
    pub(crate) fn submission_json(&self, id: &str) -> Value {
        let Some(one) = self.submissions.get(id) else { return Value::Null };
        json!({
            "id": id, "participant": one.participant, "study_id": one.study, "status": one.status, "entered_code": one.code,
            "started_at": one.started, "completed_at": one.ended, "return_requested": one.return_requested,
            "bonus_payments": self.ledger.bonuses.get(id).cloned().unwrap_or_default(),
        })
    }

    /// A submission in a list: the person is `participant_id`.
    pub(crate) fn listed_json(&self, id: &str) -> Value {
        let Some(one) = self.submissions.get(id) else { return Value::Null };
        let seconds = one.ended.map(|ended| (ended - one.started) as f64 / 1e6);
        json!({
            "id": id, "participant_id": one.participant, "status": one.status, "study_code": one.code,
            "time_taken": seconds, "is_complete": one.ended.is_some(),
        })
    }

    pub(crate) fn submissions_of(&self, study: &str) -> Vec<SubmissionView> {
        let of = self.submissions.iter().filter(|(_, one)| one.study == study);
        of.map(|(id, one)| SubmissionView {
            id: id.clone(),
            participant: one.participant.clone(),
            status: one.status.to_owned(),
            code: one.code.clone(),
        })
        .collect()
    }

    pub(crate) fn cost_json(&self, study: &str) -> Answer {
        let Some(of) = self.studies.get(study) else { return refusal(404, "no such study") };
        let rewards = self.price(of.reward, self.rewards_of(study));
        let submissions = self.submissions.iter().filter(|(_, one)| one.study == study);
        let bonuses = submissions.filter_map(|(id, _)| self.ledger.bonuses.get(id)).flatten();
        let (fee, tax) = (self.options.fee_per_mille, self.options.tax_per_mille);
        let bonuses: i64 = bonuses.map(|cents| with_fees(*cents, fee, tax)).sum();
        (200, json!({"rewards": {"total": rewards}, "bonuses": {"total": bonuses}}))
    }

    pub(crate) fn outbox_len(&self) -> usize {
        self.outbox.len() + self.sending
    }
}
