use utoipa::openapi::path::Operation;
use utoipa::openapi::security::{
    ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme,
};
use utoipa::openapi::{Components, ContentBuilder, InfoBuilder, OpenApi, Ref, RefOr, ResponseBuilder};
use utoipa::{PartialSchema, ToSchema};

use crate::http_error::ErrorBody;

const ABOUT: &str = "Grove builds a concept hierarchy from people's answers to short questions and says how certain every edge is. \
    Owners authenticate with an API token (`Authorization: Bearer`) or a browser session. Workers send an invitation \
    (`Authorization: Bearer`) and a secret of their own choice (`Grove-Worker`) that identifies them from then on.";

/// Errors that every operation may return, then those of operations that change something, and of those with path parameters.
const ALWAYS: [(&str, &str); 4] = [
    ("400", "The request is malformed or invalid."),
    ("401", "Authentication required."),
    ("429", "Too many requests; `Retry-After` gives the seconds to wait."),
    ("503", "Temporarily unavailable; `Retry-After` gives the seconds to wait."),
];
const CHANGING: [(&str, &str); 6] = [
    ("403", "A browser's request from another site."),
    ("408", "The request took too long to arrive."),
    ("409", "The request contradicts the present state."),
    ("413", "The request body is too large."),
    ("415", "The request body is not JSON."),
    ("507", "The server's disk is full."),
];
const NAMED: (&str, &str) = ("404", "Not found, or you do not have access.");

/// Adds what all operations have in common: authentication and error responses.
pub(super) fn complete(api: &mut OpenApi) {
    api.info =
        InfoBuilder::new().title("Grove").version(env!("CARGO_PKG_VERSION")).description(Some(ABOUT)).build();
    let components = api.components.get_or_insert_with(Components::new);
    components.schemas.insert(ErrorBody::name().into_owned(), ErrorBody::schema());
    // The vocabulary is generic, so its schemas refer to the type of a concept's number by name.
    components.schemas.insert("u32".to_owned(), u32::schema());
    let bearer = |about: &str| {
        let http = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some(about)).build();
        SecurityScheme::Http(http)
    };
    components.add_security_scheme("token", bearer("An API token of an owner."));
    components.add_security_scheme("invitation", bearer("An invitation to a campaign."));
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
    // Function names repeat between resources; ids must be unique.
    if let (Some(id), Some([tag, ..])) = (&operation.operation_id, operation.tags.as_deref()) {
        operation.operation_id = Some(format!("{tag}_{id}"));
    }
    operation.security = Some(if for_workers {
        vec![SecurityRequirement::new("invitation", none).add("worker", none)]
    } else {
        vec![SecurityRequirement::new("token", none), SecurityRequirement::new("session", none)]
    });
    let errors =
        ALWAYS.iter().chain(CHANGING.iter().filter(|_| changing)).chain(Some(&NAMED).filter(|_| named));
    for &(status, about) in errors {
        let content = ContentBuilder::new().schema(Some(Ref::from_schema_name(ErrorBody::name()))).build();
        let response = ResponseBuilder::new().description(about).content("application/json", content).build();
        operation.responses.responses.entry(status.to_owned()).or_insert(RefOr::T(response));
    }
}
