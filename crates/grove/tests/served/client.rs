//! One connection to a server, kept open.

use std::net::SocketAddr;

use http_body_util::{BodyExt as _, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::http::request::Builder;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;

/// Whatever a connection may say when a server dies.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Headers that say who asks.
pub(crate) type Who = Vec<(&'static str, String)>;

pub(crate) struct Client {
    sender: SendRequest<Full<Bytes>>,
    host: String,
    who: Who,
}

impl Client {
    pub(crate) async fn connect(address: SocketAddr, who: Who) -> Result<Self, Failure> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let (sender, connection) = handshake(TokioIo::new(stream)).await?;
        // Ends with the connection.
        tokio::spawn(connection);
        Ok(Self { sender, host: address.to_string(), who })
    }

    /// Somebody else asks from now on.
    pub(crate) fn is_now(&mut self, who: Who) {
        self.who = who;
    }

    pub(crate) async fn get(&mut self, path: &str) -> Result<(u16, Value), Failure> {
        self.send(Method::GET, path, None).await
    }

    pub(crate) async fn post(&mut self, path: &str, body: Option<&Value>) -> Result<(u16, Value), Failure> {
        self.send(Method::POST, path, body).await
    }

    /// Logs in, and returns the cookies that the server gives; none if it refuses.
    pub(crate) async fn log_in(&mut self, name: &str, password: &str) -> Result<Option<String>, Failure> {
        let form = format!("name={name}&password={}", password.replace(' ', "+"));
        let request = self.request(Method::POST, "/login").header("origin", format!("http://{}", self.host));
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        let response = self.exchange(request.body(Full::from(form))?).await?;
        let given = response.headers().get_all("set-cookie").iter().filter_map(|cookie| cookie.to_str().ok());
        let cookies: Vec<&str> = given.filter_map(|cookie| cookie.split(';').next()).collect();
        Ok((response.status() == StatusCode::SEE_OTHER).then(|| cookies.join("; ")))
    }

    /// What the server says: its status, and the object in its body, or null for other texts.
    async fn send(
        &mut self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<(u16, Value), Failure> {
        let mut request = self.request(method, path);
        if body.is_some() {
            request = request.header("content-type", "application/json");
        }
        let bytes = body.map(serde_json::to_vec).transpose()?.unwrap_or_default();
        let response = self.exchange(request.body(Full::from(bytes))?).await?;
        Ok((response.status().as_u16(), serde_json::from_slice(response.body()).unwrap_or(Value::Null)))
    }

    fn request(&self, method: Method, path: &str) -> Builder {
        let request = Request::builder().method(method).uri(path).header("host", &self.host);
        self.who.iter().fold(request, |request, (name, value)| request.header(*name, value))
    }

    async fn exchange(&mut self, request: Request<Full<Bytes>>) -> Result<Response<Bytes>, Failure> {
        self.sender.ready().await?;
        let (parts, body) = self.sender.send_request(request).await?.into_parts();
        Ok(Response::from_parts(parts, body.collect().await?.to_bytes()))
    }
}
