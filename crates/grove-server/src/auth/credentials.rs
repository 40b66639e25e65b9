use std::time::Duration;

use grove_store::{Credential, CredentialId, Purpose};
use uuid::Uuid;

use super::Secret;
use crate::app::AppState;

/// How long an owner stays logged in.
pub(crate) const SESSION: Duration = Duration::from_secs(30 * 24 * 3600);

/// How long a browser is known as one in which an owner has logged in.
pub(crate) const DEVICE: Duration = Duration::from_secs(365 * 24 * 3600);

/// Issues a credential that expires. Only a hash of its secret is stored, so the secret can be shown this once.
pub(crate) async fn issue<E>(app: &AppState, purpose: Purpose, lifetime: Duration) -> Result<Secret, E>
where
    E: From<getrandom::Error> + From<grove_store::Error>,
{
    let (secret, now) = (Secret::new()?, app.now());
    let credential = Credential {
        id: CredentialId(Uuid::now_v7()),
        purpose,
        label: String::new(),
        created: now,
        until: Some(now.plus(lifetime)),
        revoked: None,
    };
    app.store().add_credential(credential, secret.hash()).await?;
    Ok(secret)
}
