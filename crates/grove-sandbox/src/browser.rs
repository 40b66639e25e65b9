//! A minimal browser for the worker's page: cookies, redirects and forms, no scripts. The page has to work without
//! them.

use std::collections::BTreeMap;
use std::time::Duration;

use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper::{Request, Uri, header};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;

/// The most redirects in a row.
const MOST_REDIRECTS: u32 = 10;

/// A browser with its cookies.
pub struct Browser {
    client: Client<HttpConnector, Full<Bytes>>,
    cookies: BTreeMap<String, String>,
}

/// A page, or the address of another host that the browser was sent to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Page {
    /// Its address.
    pub url: String,
    /// The HTTP status; 0 for a page of another host, which is not loaded.
    pub status: u16,
    /// Its text.
    pub html: String,
}

/// A form of a page.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Form {
    pub(crate) action: String,
    /// The hidden fields.
    pub(crate) hidden: Vec<(String, String)>,
    /// The names of the fields to type into.
    pub(crate) typed: Vec<String>,
    /// What can be chosen: buttons, radio buttons and boxes, as name, value and text.
    pub(crate) choices: Vec<(String, String, String)>,
}

impl Default for Browser {
    fn default() -> Self {
        Self { client: Client::builder(TokioExecutor::new()).build_http(), cookies: BTreeMap::new() }
    }
}

impl Browser {
    /// Opens an address.
    ///
    /// # Errors
    /// What the network says.
    pub async fn open(&mut self, url: &str) -> Result<Page, String> {
        self.load(url, None).await
    }

    /// Sends a form.
    ///
    /// # Errors
    /// What the network says.
    pub async fn post(
        &mut self,
        from: &Page,
        action: &str,
        fields: &[(String, String)],
    ) -> Result<Page, String> {
        let url = resolve(&from.url, action).ok_or("the form has no address")?;
        let body: Vec<String> =
            fields.iter().map(|(name, value)| format!("{}={}", encoded(name), encoded(value))).collect();
        self.load(&url, Some(body.join("&"))).await
    }

    async fn load(&mut self, url: &str, mut body: Option<String>) -> Result<Page, String> {
        let mut url = url.to_owned();
        let home = host(&url);
        for _ in 0..MOST_REDIRECTS {
            if host(&url) != home {
                return Ok(Page { url, status: 0, html: String::new() });
            }
            let (status, location, html) = self.fetch(&url, body.take()).await?;
            let location = location.filter(|_| (300..400).contains(&status)).or_else(|| refresh(&html));
            match location {
                Some(location) => url = resolve(&url, &location).ok_or("a redirect leads nowhere")?,
                None => return Ok(Page { url, status, html }),
            }
        }
        Err("too many redirects".to_owned())
    }

    async fn fetch(
        &mut self,
        url: &str,
        body: Option<String>,
    ) -> Result<(u16, Option<String>, String), String> {
        let uri: Uri = url.parse().map_err(|_| format!("{url} is not an address"))?;
        let cookies: Vec<String> =
            self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let origin = format!("http://{}", uri.authority().map(ToString::to_string).unwrap_or_default());
        let request = match &body {
            Some(_) => Request::post(uri)
                .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
                .header(header::ORIGIN, origin),
            None => Request::get(uri),
        };
        let request = request.header(header::COOKIE, cookies.join("; "));
        let request = request
            .body(Full::new(Bytes::from(body.unwrap_or_default())))
            .map_err(|error| error.to_string())?;
        let answering = self.client.request(request);
        let answer = tokio::time::timeout(Duration::from_secs(60), answering)
            .await
            .map_err(|_| "no answer within a minute")?;
        let answer = answer.map_err(|error| error.to_string())?;
        for line in answer.headers().get_all(header::SET_COOKIE) {
            let pair = line.to_str().ok().and_then(|line| line.split(';').next()?.split_once('='));
            if let Some((name, value)) = pair {
                self.cookies.insert(name.trim().to_owned(), value.trim().to_owned());
            }
        }
        let status = answer.status().as_u16();
        let location =
            answer.headers().get(header::LOCATION).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let body = answer.into_body().collect().await.map_err(|error| error.to_string())?;
        Ok((status, location, String::from_utf8_lossy(&body.to_bytes()).into_owned()))
    }
}

impl Page {
    /// The question of the page, without tags.
    #[must_use]
    pub fn question(&self) -> String {
        inner(&self.html, "<h1", "</h1>").map(|inside| text_of(&inside)).unwrap_or_default()
    }

    /// The names in the question, in their order.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let mut rest = inner(&self.html, "<h1", "</h1>").unwrap_or_default();
        let mut names = Vec::new();
        while let Some((inside, after)) = between(&rest, "<b>", "</b>") {
            names.push(text_of(&inside));
            rest = after;
        }
        names
    }

    /// The form whose address ends like this.
    pub(crate) fn form(&self, end: &str) -> Option<Form> {
        let mut rest = self.html.clone();
        while let Some(start) = rest.find("<form") {
            let tail = rest[start..].to_owned();
            let until = tail.find("</form>")?;
            let form = read_form(&tail[..until]);
            if form.action.ends_with(end) {
                return Some(form);
            }
            rest = tail[until..].to_owned();
        }
        None
    }
}

fn read_form(html: &str) -> Form {
    let mut form = Form::default();
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        rest = &rest[start..];
        let Some(end) = rest.find('>') else { break };
        let (tag, after) = (&rest[..end], &rest[end + 1..]);
        let value = |name| attribute(tag, name).unwrap_or_default();
        if tag.starts_with("<form") {
            form.action = value("action");
        } else if tag.starts_with("<input") {
            let (name, kind) = (value("name"), value("type"));
            match kind.as_str() {
                "radio" | "checkbox" => form.choices.push((name, value("value"), label(after, "</label>"))),
                "hidden" => form.hidden.push((name, value("value"))),
                _ => form.typed.push(name),
            }
        } else if tag.starts_with("<button") {
            form.choices.push((value("name"), value("value"), label(after, "</button>")));
        }
        rest = after;
    }
    form
}

/// The text up to the end of an element, without the keys that may be pressed instead.
fn label(html: &str, end: &str) -> String {
    let mut label = html[..html.find(end).unwrap_or(0)].to_owned();
    while let Some((start, until)) =
        label.find("<kbd>").zip(label.find("</kbd>")).filter(|(from, to)| from < to)
    {
        label.replace_range(start..until + "</kbd>".len(), "");
    }
    text_of(&label)
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    let start = tag.find(&format!(" {name}=\""))? + name.len() + 3;
    let end = tag[start..].find('"')?;
    Some(unescaped(&tag[start..start + end]))
}

/// Where a page without a redirect sends its reader by itself.
fn refresh(html: &str) -> Option<String> {
    let start = html.find("http-equiv=\"refresh\"")?;
    let tag = &html[html[..start].rfind('<')?..];
    let content = attribute(&tag[..tag.find('>')?], "content")?;
    Some(content.split_once("url=")?.1.to_owned())
}

fn inner(html: &str, open: &str, close: &str) -> Option<String> {
    let start = html.find(open)?;
    let start = start + html[start..].find('>')? + 1;
    Some(html[start..start + html[start..].find(close)?].to_owned())
}

fn between(html: &str, open: &str, close: &str) -> Option<(String, String)> {
    let start = html.find(open)? + open.len();
    let end = start + html[start..].find(close)?;
    Some((html[start..end].to_owned(), html[end + close.len()..].to_owned()))
}

fn text_of(html: &str) -> String {
    let mut text = String::new();
    let mut is_tag = false;
    for letter in html.chars() {
        match letter {
            '<' => is_tag = true,
            '>' if is_tag => is_tag = false,
            _ if is_tag => {}
            other => text.push(other),
        }
    }
    unescaped(&text).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn unescaped(text: &str) -> String {
    let named = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&#x27;", "'"),
        ("&#34;", "\""),
        ("&#60;", "<"),
        ("&#62;", ">"),
        ("&#38;", "&"),
    ];
    let text = named.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
    text.replace("&amp;", "&")
}

fn host(url: &str) -> String {
    url.parse::<Uri>().ok().and_then(|uri| uri.authority().map(ToString::to_string)).unwrap_or_default()
}

fn resolve(base: &str, to: &str) -> Option<String> {
    if to.starts_with("http://") || to.starts_with("https://") {
        return Some(to.to_owned());
    }
    let uri: Uri = base.parse().ok()?;
    let root = format!("{}://{}", uri.scheme_str()?, uri.authority()?);
    if to.starts_with('/') { Some(format!("{root}{to}")) } else { Some(format!("{root}{}{to}", uri.path())) }
}

fn encoded(text: &str) -> String {
    text.bytes()
        .map(
            |byte| {
                if byte.is_ascii_alphanumeric() {
                    char::from(byte).to_string()
                } else {
                    format!("%{byte:02X}")
                }
            },
        )
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_questions_and_forms() {
        let html = r#"<h1 class="q">Is <b>fish &amp; chips</b> a kind of <b>dish</b>?</h1>
            <form method="post" action="/w/x/vote" data-vote><input type="hidden" name="upper" value="3">
            <input id="under" name="under" data-search>
            <label><input type="radio" name="answer" value="7"> <kbd>1</kbd> <bdi>soup</bdi></label>
            <button class="yes" name="answer" value="yes">Yes <kbd>Y</kbd></button></form>"#;
        let page = Page { url: "http://h/w/x".into(), status: 200, html: html.into() };
        assert_eq!(page.question(), "Is fish & chips a kind of dish?");
        assert_eq!(page.names(), ["fish & chips", "dish"]);
        let form = page.form("/vote").unwrap();
        assert_eq!(form.hidden, [("upper".to_owned(), "3".to_owned())]);
        assert_eq!(form.typed, ["under"]);
        let choices: Vec<_> =
            form.choices.iter().map(|(_, value, text)| (value.as_str(), text.as_str())).collect();
        assert_eq!(choices, [("7", "soup"), ("yes", "Yes")]);
        assert!(page.form("/undo").is_none());
        assert_eq!(
            refresh(r#"<meta http-equiv="refresh" content="0; url=https://x/?a=1&amp;b=2">"#).unwrap(),
            "https://x/?a=1&b=2"
        );
    }
}
