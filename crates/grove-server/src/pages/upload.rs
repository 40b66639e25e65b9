use std::collections::HashMap;

use axum::extract::Multipart;
use axum::extract::multipart::MultipartError;

use crate::fault::Fault;

/// A form with a file in it.
#[derive(Default)]
pub(super) struct Upload {
    texts: HashMap<String, String>,
    /// The file's name and what is in it, if one was chosen.
    pub(super) file: Option<(String, Vec<u8>)>,
}

impl Upload {
    pub(super) async fn read(mut form: Multipart) -> Result<Self, Fault> {
        let mut upload = Self::default();
        while let Some(field) = form.next_field().await.map_err(unreadable)? {
            let name = field.name().unwrap_or_default().to_owned();
            match field.file_name().map(str::to_owned) {
                Some(file) => {
                    let bytes = field.bytes().await.map_err(unreadable)?;
                    if !bytes.is_empty() {
                        upload.file = Some((file, bytes.to_vec()));
                    }
                }
                None => {
                    upload.texts.insert(name, field.text().await.map_err(unreadable)?);
                }
            }
        }
        Ok(upload)
    }

    /// What was typed into a field.
    pub(super) fn text(&self, name: &str) -> &str {
        self.texts.get(name).map_or("", String::as_str)
    }
}

fn unreadable(error: MultipartError) -> Fault {
    if error.status() == axum::http::StatusCode::PAYLOAD_TOO_LARGE {
        return Fault::TooLarge;
    }
    Fault::Bad("the form cannot be read".to_owned())
}
