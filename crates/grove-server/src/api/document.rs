use utoipa::openapi::path::Operation;
use utoipa::openapi::security::{
    ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme,
};
use utoipa::openapi::{Components, ContentBuilder, InfoBuilder, OpenApi, Ref, RefOr, ResponseBuilder};
use utoipa::{PartialSchema, ToSchema};

use crate::fault::Refusal;

const ABOUT: &str = "Grove builds a concept hierarchy from people's yes/no answers and says how sure it is of every edge. \
    Owners show a token (`Authorization: Bearer`) or a browser's session; workers show an invitation \
    (`Authorization: Bearer`) and a secret of their own making (`Grove-Worker`), by which they are known again.";

/// Refusals that any route may answer with, and those that only routes with a body, or with a name in their path, do.
const ALWAYS: [(&str, &str); 4] = [
    ("400", "It cannot be read, or makes no sense."),
    ("401", "Nobody knows who asks."),
    ("429", "Too often; `Retry-After` says when to come again."),
    ("503", "Not at present; `Retry-After` says when to come again."),
];
const CHANGING: [(&str, &str); 5] = [
    ("403", "A browser's request from another site."),
    ("409", "It does not fit what is there by now."),
    ("413", "Too long."),
    ("415", "Not JSON."),
    ("507", "The server's disk is full."),
];
const NAMED: (&str, &str) = ("404", "It is not there, or belongs to somebody else.");

/// Adds what all routes have in common.
pub(super) fn complete(api: &mut OpenApi) {
    api.info =
        InfoBuilder::new().title("Grove").version(env!("CARGO_PKG_VERSION")).description(Some(ABOUT)).build();
    let components = api.components.get_or_insert_with(Components::new);
    components.schemas.insert(Refusal::name().into_owned(), Refusal::schema());
    let bearer = |about: &str| {
        let http = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some(about)).build();
        SecurityScheme::Http(http)
    };
    components.add_security_scheme("token", bearer("An owner's API token."));
    components.add_security_scheme("invitation", bearer("A campaign's invitation."));
    let header = |name: &str| SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::new(name)));
    components.add_security_scheme("worker", header("Grove-Worker"));
    let cookie = SecurityScheme::ApiKey(ApiKey::Cookie(ApiKeyValue::new("grove_session")));
    components.add_security_scheme("session", cookie);
    for (path, item) in &mut api.paths.paths {
        let (named, for_workers) = (path.contains('{'), path.starts_with("/api/v1/work/"));
        let reading = [&mut item.get].into_iter().flatten();
        reading.for_each(|operation| describe(operation, false, named, for_workers));
        let changing =
            [&mut item.post, &mut item.put, &mut item.patch, &mut item.delete].into_iter().flatten();
        changing.for_each(|operation| describe(operation, true, named, for_workers));
    }
}

fn describe(operation: &mut Operation, changing: bool, named: bool, for_workers: bool) {
    let none: [&str; 0] = [];
    operation.security = Some(if for_workers {
        vec![SecurityRequirement::new("invitation", none).add("worker", none)]
    } else {
        vec![SecurityRequirement::new("token", none), SecurityRequirement::new("session", none)]
    });
    let refusals =
        ALWAYS.iter().chain(CHANGING.iter().filter(|_| changing)).chain(Some(&NAMED).filter(|_| named));
    for &(status, about) in refusals {
        let content = ContentBuilder::new().schema(Some(Ref::from_schema_name(Refusal::name()))).build();
        let response = ResponseBuilder::new().description(about).content("application/json", content).build();
        operation.responses.responses.entry(status.to_owned()).or_insert(RefOr::T(response));
    }
}
