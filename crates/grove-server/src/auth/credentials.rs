use std::time::Duration;

use grove_store::{AuditEntry, Credential, CredentialId, OwnerId, Purpose};
use uuid::Uuid;

use super::Secret;
use crate::app::AppState;
use crate::middleware::ClientAddress;

/// How long an owner stays logged in.
pub(crate) const SESSION: Duration = Duration::from_secs(30 * 24 * 3600);

/// How long a browser is known as one in which an owner has logged in.
pub(crate) const DEVICE: Duration = Duration::from_secs(365 * 24 * 3600);

/// Records what happened to an account. A failure to record it is only logged.
pub(crate) async fn audit(app: &AppState, owner: Option<OwnerId>, action: &str, address: ClientAddress) {
    let address = address.0.to_string();
    let entry = AuditEntry { at: app.now(), owner, action: action.to_owned(), address };
    if let Err(error) = app.store().record_audit(entry).await {
        tracing::warn!(%error, action, "the audit log cannot be written");
    }
}

/// Issues a credential that expires. Only a hash of its secret is stored, so the secret can be shown this once.
pub(crate) async fn issue<E>(
    app: &AppState,
    purpose: Purpose,
    lifetime: Duration,
    label: String,
) -> Result<Secret, E>
where
    E: From<getrandom::Error> + From<grove_store::Error>,
{
    let (secret, now) = (Secret::new()?, app.now());
    let credential = Credential {
        id: CredentialId(Uuid::now_v7()),
        purpose,
        label,
        created: now,
        until: Some(now.plus(lifetime)),
        revoked: None,
    };
    app.store().add_credential(credential, secret.hash()).await?;
    Ok(secret)
}
