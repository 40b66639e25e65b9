use std::time::Duration;

use grove_store::{Credential, CredentialId, Purpose};
use uuid::Uuid;

use super::Secret;
use crate::app::App;

/// Makes a secret that opens something, for a while or for good. It is kept as a hash, so this is the one time that it is seen.
pub(crate) async fn hand_out<E>(
    app: &App,
    purpose: Purpose,
    label: String,
    span: Option<Duration>,
) -> Result<(CredentialId, Secret), E>
where
    E: From<getrandom::Error> + From<grove_store::Error>,
{
    let (id, secret, now) = (CredentialId(Uuid::now_v7()), Secret::new()?, app.now());
    let until = span.map(|span| now.plus(span));
    let credential = Credential { id, purpose, label, created: now, until, revoked: None };
    app.store().add_credential(credential, secret.hash()).await?;
    Ok((id, secret))
}
