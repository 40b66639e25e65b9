//! A small HTTP client: no redirects, no cookies, bounded time and size, and errors that hold no header.

use std::ops::RangeInclusive;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Bytes;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, DATE, HeaderValue, RETRY_AFTER, USER_AGENT};
use hyper::{HeaderMap, Method, Request, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;

use crate::{Error, Secret};

/// The longest answer that is read.
const LONGEST_ANSWER: usize = 8 * 1024 * 1024;
/// How much of a response that is not JSON an error message quotes.
const QUOTED: usize = 200;

/// A client for HTTPS.
type SecureClient = Client<HttpsConnector<HttpConnector>, Full<Bytes>>;

/// A client that shares its connections between clones.
#[derive(Clone)]
pub struct Http {
    plain: Client<HttpConnector, Full<Bytes>>,
    /// Made when it is first needed: a machine without root certificates can still talk to services of its own.
    secure: Arc<OnceLock<Result<SecureClient, String>>>,
    timeout: Duration,
}

/// An answer of whatever status.
#[derive(Clone, Debug)]
pub struct HttpAnswer {
    /// The HTTP status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
    /// The credential that was sent, to be removed from error messages: some services repeat it when they refuse it.
    secret: Option<Secret>,
}

impl Http {
    /// A client whose requests may take so long.
    #[must_use]
    pub fn new(timeout: Duration) -> Self {
        let plain = Client::builder(TokioExecutor::new()).build_http();
        Self { plain, secure: Arc::default(), timeout }
    }

    /// Sends a request and reads the whole answer. `who` names the service in errors.
    ///
    /// # Errors
    /// [`Error::NoAnswer`], also if it takes too long or is too large; [`Error::Config`] for an impossible URL.
    pub async fn send(
        &self,
        who: &str,
        method: Method,
        url: &str,
        authorization: Option<(&str, &Secret)>,
        body: Option<&Value>,
    ) -> Result<HttpAnswer, Error> {
        let uri: Uri =
            url.parse().map_err(|_| Error::Config(format!("the address of {who} is not a URL")))?;
        let mut request = Request::builder().method(method).uri(uri.clone());
        request = request.header(USER_AGENT, concat!("grove/", env!("CARGO_PKG_VERSION")));
        if let Some((scheme, secret)) = authorization {
            let header = HeaderValue::from_str(&format!("{scheme} {}", secret.expose()));
            let mut header = header
                .map_err(|_| Error::Config(format!("the token of {who} cannot be sent in a header")))?;
            header.set_sensitive(true);
            request = request.header(AUTHORIZATION, header);
        }
        let bytes = match body {
            Some(json) => {
                request = request.header(CONTENT_TYPE, "application/json");
                Bytes::from(json.to_string())
            }
            None => Bytes::new(),
        };
        let request = request
            .body(Full::new(bytes))
            .map_err(|_| Error::Config(format!("no request to {who} can be made")))?;
        let answered = async {
            let answer = if uri.scheme_str() == Some("https") {
                self.secure(who)?.request(request).await
            } else {
                self.plain.request(request).await
            };
            let answer = answer.map_err(|error| no_answer(who, &error))?;
            let (parts, body) = answer.into_parts();
            let body =
                Limited::new(body, LONGEST_ANSWER).collect().await.map_err(|error| Error::NoAnswer {
                    who: who.to_owned(),
                    problem: format!("its response was cut off ({error})"),
                })?;
            let secret = authorization.map(|(_, secret)| secret.clone());
            Ok(HttpAnswer {
                status: parts.status.as_u16(),
                headers: parts.headers,
                body: body.to_bytes(),
                secret,
            })
        };
        tokio::time::timeout(self.timeout, answered).await.unwrap_or_else(|_| {
            let problem = format!("no response within {} s", self.timeout.as_secs());
            Err(Error::NoAnswer { who: who.to_owned(), problem })
        })
    }

    fn secure(&self, who: &str) -> Result<&SecureClient, Error> {
        let made = self.secure.get_or_init(|| {
            let roots =
                HttpsConnectorBuilder::new().with_native_roots().map_err(|error| error.to_string())?;
            let connector = roots.https_or_http().enable_http1().build();
            Ok(Client::builder(TokioExecutor::new()).build(connector))
        });
        made.as_ref().map_err(|problem| {
            Error::Config(format!(
                "{who} cannot be reached, since this machine's root certificates cannot be read: {problem}"
            ))
        })
    }
}

fn no_answer(who: &str, error: &dyn std::error::Error) -> Error {
    // The outer error only says which phase failed.
    let mut problem = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        problem = inner.to_string();
        source = inner.source();
    }
    Error::NoAnswer { who: who.to_owned(), problem }
}

impl HttpAnswer {
    /// The body as JSON if the request was carried out; an error for every other status, whatever its body is.
    ///
    /// # Errors
    /// [`Error::Refused`] and [`Error::Unreadable`].
    pub fn json(&self, who: &str) -> Result<Value, Error> {
        if !(200..300).contains(&self.status) {
            return Err(Error::Refused {
                who: who.to_owned(),
                status: self.status,
                reason: self.reason(),
                retry_after: self.retry_after(),
            });
        }
        if self.body.is_empty() {
            return Ok(Value::Null);
        }
        serde_json::from_slice(&self.body).map_err(|error| Error::Unreadable {
            who: who.to_owned(),
            problem: format!("it is not JSON ({error})"),
        })
    }

    /// Why a request was refused: the words of the usual shapes of errors, or the beginning of the body.
    fn reason(&self) -> String {
        let words = serde_json::from_slice::<Value>(&self.body).ok().and_then(|json| reason_of(&json));
        let words = words.unwrap_or_else(|| {
            let text = String::from_utf8_lossy(&self.body);
            // Pages of proxies: their tags say nothing.
            if text.trim_start().starts_with('<') {
                "a response that is not JSON".to_owned()
            } else {
                text.into_owned()
            }
        });
        let words =
            self.secret.iter().fold(words, |words, secret| words.replace(secret.expose(), "(hidden)"));
        let words: String = words.split_whitespace().collect::<Vec<_>>().join(" ");
        if words.chars().count() > QUOTED {
            format!("{}…", words.chars().take(QUOTED).collect::<String>())
        } else if words.is_empty() {
            "no reason given".to_owned()
        } else {
            words
        }
    }

    /// After how many seconds the service asks us to try again. It gives a number or a date (RFC 9110, 10.2.3), which is read by the service's own
    /// clock where the answer has its time.
    fn retry_after(&self) -> Option<u64> {
        let text = self.headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
        if let Ok(seconds) = text.parse() {
            return Some(seconds);
        }
        let until = seconds_of_date(text)?;
        let now = self.date().or_else(|| {
            let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).ok()?;
            i64::try_from(since.as_secs()).ok()
        })?;
        // A date that has passed means: now.
        Some(u64::try_from(until.saturating_sub(now)).unwrap_or(0))
    }

    /// The moment at which the service made the answer, by its own clock, in seconds since 1970.
    #[must_use]
    pub fn date(&self) -> Option<i64> {
        seconds_of_date(self.headers.get(DATE)?.to_str().ok()?)
    }
}

fn reason_of(json: &Value) -> Option<String> {
    let error = json.get("error").unwrap_or(json);
    if let Some(text) = error.as_str() {
        return Some(text.to_owned());
    }
    let part = |name: &str| match error.get(name) {
        Some(Value::String(text)) if !text.is_empty() => Some(text.clone()),
        Some(Value::Null) | None => None,
        Some(other) => Some(other.to_string()),
    };
    let parts: Vec<String> = ["title", "detail", "message"].into_iter().filter_map(part).collect();
    (!parts.is_empty()).then(|| parts.join(": "))
}

/// Seconds since 1970 of a date such as `Sun, 06 Nov 1994 08:49:37 GMT`, the only form that servers may send (RFC 9110, 5.6.7).
fn seconds_of_date(text: &str) -> Option<i64> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let rest = text.split_once(", ")?.1;
    let mut parts = rest.split([' ', ':']);
    let day = number(parts.next()?, 1..=31)?;
    let month = parts.next()?;
    let month = MONTHS.iter().position(|name| *name == month)? as i64 + 1;
    let year = number(parts.next()?, 1970..=9999)?;
    let hours = number(parts.next()?, 0..=23)?;
    let minutes = number(parts.next()?, 0..=59)?;
    // Up to 60, in a leap second.
    let seconds = number(parts.next()?, 0..=60)?;
    Some(days_since_1970(year, month, day) * 86_400 + hours * 3_600 + minutes * 60 + seconds)
}

/// A number of a date. Whatever a service sends ends up here, and the arithmetic of dates overflows with any number.
fn number(text: &str, range: RangeInclusive<i64>) -> Option<i64> {
    text.parse().ok().filter(|number| range.contains(number))
}

/// Days of the Gregorian calendar, counted from years that begin in March, so that leap days come last (Howard Hinnant's algorithm).
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year - era * 400;
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, body: &str) -> HttpAnswer {
        HttpAnswer {
            status,
            headers: HeaderMap::new(),
            body: Bytes::copy_from_slice(body.as_bytes()),
            secret: None,
        }
    }

    #[test]
    fn errors_of_every_shape_have_a_reason() {
        let reason = |status, body| answer(status, body).json("it").unwrap_err().to_string();
        let prolific = r#"{"error":{"status":400,"error_code":1,"title":"Bad","detail":"too few places"}}"#;
        assert_eq!(reason(400, prolific), "it says 400: Bad: too few places");
        let openai = r#"{"error":{"message":"Unsupported parameter","type":"invalid_request_error"}}"#;
        assert_eq!(reason(400, openai), "it says 400: Unsupported parameter");
        assert_eq!(reason(502, "<html>Bad gateway</html>"), "it says 502: a response that is not JSON");
        assert_eq!(reason(503, ""), "it says 503: no reason given");
        assert_eq!(
            reason(422, r#"{"error":{"detail":{"reward":["too low"]}}}"#),
            r#"it says 422: {"reward":["too low"]}"#
        );
        assert!(matches!(answer(200, "<html>").json("it"), Err(Error::Unreadable { .. })));
        assert_eq!(answer(204, "").json("it").unwrap(), Value::Null);
    }

    #[test]
    fn dates_are_read() {
        assert_eq!(seconds_of_date("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
        assert_eq!(seconds_of_date("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(seconds_of_date("Tue, 29 Feb 2028 12:00:00 GMT"), Some(1_835_438_400));
        assert_eq!(seconds_of_date("Fri, 31 Dec 9999 23:59:60 GMT"), Some(253_402_300_800));
        for bad in [
            "soon",
            "Sun, 06 Nov 99999999999999999 08:49:37 GMT",
            "Sun, 06 Nov -99999999999999999 08:49:37 GMT",
            "Sun, 9223372036854775807 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 9223372036854775807:49:37 GMT",
            "Sun, 06 Nov 1994 08:9223372036854775807:37 GMT",
            "Sun, 06 Nov 1994 08:49:9223372036854775807 GMT",
            "Wed, 31 Dec 1969 23:59:59 GMT",
            "Sun, 00 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 24:00:00 GMT",
        ] {
            assert_eq!(seconds_of_date(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_service_may_name_a_time_to_try_again() {
        let asked = |value: &str, date: Option<&str>| {
            let mut answer = answer(429, "");
            answer.headers.insert(RETRY_AFTER, value.parse().unwrap());
            answer.headers.extend(date.map(|date| (DATE, date.parse().unwrap())));
            let Err(Error::Refused { retry_after, .. }) = answer.json("it") else { panic!("{answer:?}") };
            retry_after
        };
        let date = Some("Sun, 06 Nov 1994 08:49:07 GMT");
        assert_eq!(asked(" 7 ", date), Some(7));
        assert_eq!(asked("Sun, 06 Nov 1994 08:49:37 GMT", date), Some(30));
        assert_eq!(asked("Sun, 06 Nov 1994 08:48:37 GMT", date), Some(0));
        // By our own clock, that is long ago, and far ahead.
        assert_eq!(asked("Sun, 06 Nov 1994 08:49:37 GMT", None), Some(0));
        assert!(asked("Sun, 06 Nov 2994 08:49:37 GMT", None) > Some(1_000_000));
        assert_eq!(asked("soon", date), None);
    }

    #[tokio::test]
    async fn nobody_there_is_no_answer() {
        let http = Http::new(Duration::from_secs(5));
        let gone = http.send("the panel", Method::GET, "http://127.0.0.1:1/", None, None).await.unwrap_err();
        assert!(matches!(gone, Error::NoAnswer { .. }) && gone.is_uncertain(), "{gone}");
    }

    /// A service that was taken over could send Grove, with its token, to any address inside the operator's network.
    #[tokio::test]
    async fn redirects_are_not_followed() {
        let listen = || std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let (service, inside) = (listen(), listen());
        let (at, inner) = (service.local_addr().unwrap(), inside.local_addr().unwrap());
        std::thread::spawn(move || {
            let (mut stream, _) = service.accept().unwrap();
            // The request has to be read before the answer, or closing the connection would reset it.
            let mut request = [0; 1024];
            let _ = std::io::Read::read(&mut stream, &mut request).unwrap();
            let moved =
                format!("HTTP/1.1 307 Moved\r\nlocation: http://{inner}/\r\ncontent-length: 0\r\n\r\n");
            std::io::Write::write_all(&mut stream, moved.as_bytes()).unwrap();
        });
        let http = Http::new(Duration::from_secs(5));
        let answer = http.send("the panel", Method::GET, &format!("http://{at}/"), None, None).await.unwrap();
        assert_eq!(answer.status, 307);
        inside.set_nonblocking(true).unwrap();
        assert_eq!(inside.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock, "nobody came");
    }
}
