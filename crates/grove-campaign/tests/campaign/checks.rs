//! What must hold for any text that the API or the log is given, and for any ticket. Shared by the tests and by the fuzz targets in `fuzz/`.

use grove_campaign::{Settings, Tickets};
use grove_store::{CampaignId, Kind, Moment, Question, Screen, WorkerId};
use uuid::Uuid;

/// Any text as an answer, as settings, and as a description of a crowd.
pub(crate) fn body(text: &str) {
    if let Ok(response) = serde_json::from_str::<grove_vocabulary::Response<u32, String>>(text) {
        let again = serde_json::to_string(&response).expect("an answer can be written");
        assert_eq!(serde_json::from_str(&again).ok().as_ref(), Some(&response), "and read again");
        // What passes the check passes it again after concepts have got other numbers.
        if response.check().is_ok() {
            assert!(response.clone().map(|number| number.wrapping_mul(2)).reply.concepts().len() <= 12);
            assert!(response.try_map(Some).is_some());
        }
    }
    if let Ok(json) = serde_json::from_str(text)
        && let Ok(settings) = Settings::from_json(&json)
    {
        assert_eq!(Settings::from_json(&settings.to_json()).as_ref().ok(), Some(&settings));
    }
    if let Err(error) = grove_sim::CrowdSpec::parse(text) {
        assert!(!error.to_string().is_empty());
    }
}

const NOW: Moment = Moment(1_800_000_000_000_000);

/// Any text as a ticket; or a good ticket with some bytes changed, if the input begins with `e`. None is accepted but one that says the same as
/// the good one, and that one only where it belongs.
pub(crate) fn ticket(input: &[u8]) {
    let tickets = Tickets::with_key(&[7; 32]);
    let (here, ann) = (CampaignId(Uuid::from_u128(1)), WorkerId::new("ann").expect("a name"));
    let screen = |upper: u32, lower: u32| Screen::YesNo(Question { kind: Kind::Path, upper, lower });
    let good = tickets.issue(here, &ann, &screen(1, 2), NOW);
    let (kind, rest) = input.split_first().map_or((0, input), |(kind, rest)| (*kind, rest));
    let mut forged = if kind == b'e' { good.clone().into_bytes() } else { rest.to_vec() };
    if kind == b'e' {
        for change in rest.chunks_exact(2) {
            let at = usize::from(change[0]) % forged.len();
            forged[at] = change[1];
        }
    }
    let forged = String::from_utf8_lossy(&forged);
    let is_taken = tickets.check(&forged, here, &ann, &screen(1, 2), NOW).is_ok();
    assert_eq!(is_taken, meaning(&forged) == meaning(&good), "{forged} beside {good}");
    let elsewhere = CampaignId(Uuid::from_u128(2));
    let late = NOW.plus(grove_campaign::TICKET_LIFETIME);
    let other = WorkerId::new(forged.as_ref()).ok().filter(|other| *other != ann);
    let bob = other.unwrap_or_else(|| WorkerId::new("bob").expect("a name"));
    for ticket in [forged.as_ref(), good.as_str()] {
        assert!(tickets.check(ticket, elsewhere, &ann, &screen(1, 2), NOW).is_err());
        assert!(tickets.check(ticket, here, &bob, &screen(1, 2), NOW).is_err());
        assert!(tickets.check(ticket, here, &ann, &screen(2, 1), NOW).is_err());
        assert!(tickets.check(ticket, here, &ann, &screen(1, 2), late).is_err());
    }
}

/// The number before the first hyphen, and the digits after it.
fn meaning(ticket: &str) -> Option<(i64, String)> {
    let (until, signature) = ticket.split_once('-')?;
    Some((i64::from_str_radix(until, 16).ok()?, signature.to_ascii_lowercase()))
}
