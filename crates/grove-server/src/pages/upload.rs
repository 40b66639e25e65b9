use std::collections::HashMap;

use axum::extract::Multipart;
use axum::extract::multipart::MultipartError;
use serde::de::DeserializeOwned;
use serde::de::value::{Error as ValueError, MapDeserializer};

use crate::http_error::{HttpError, Result};

/// A form with a file.
#[derive(Default)]
pub(super) struct Upload {
    texts: HashMap<String, String>,
    /// The name and the content of the file, if one was chosen.
    pub(super) file: Option<(String, Vec<u8>)>,
}

impl Upload {
    pub(super) async fn read(mut form: Multipart) -> Result<Self> {
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

    /// The text fields as a struct.
    pub(super) fn form<T: DeserializeOwned>(&self) -> Result<T> {
        let fields = self.texts.iter().map(|(name, text)| (name.as_str(), text.as_str()));
        T::deserialize(MapDeserializer::<_, ValueError>::new(fields)).map_err(|_| unreadable_form())
    }

    /// The text of a field; empty if it is missing.
    pub(super) fn text(&self, name: &str) -> &str {
        self.texts.get(name).map_or("", String::as_str)
    }
}

fn unreadable(error: MultipartError) -> HttpError {
    if error.status() == axum::http::StatusCode::PAYLOAD_TOO_LARGE {
        return HttpError::TooLarge;
    }
    unreadable_form()
}

fn unreadable_form() -> HttpError {
    HttpError::BadRequest("the form cannot be read".to_owned())
}
