//! The same questions over HTTP.

use std::time::Duration;

use data_encoding::BASE64;
use lockstep_gnmi::proto::lockstep::v1::{ConfirmRequest, RemoveTargetRequest};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tonic::{Code, Status};

use super::ask::{Answer, Seen};
use super::lab::Lab;
use super::shown;

const PATIENCE: Duration = Duration::from_secs(30);

/// An answer: its status, and its body; of events, the first one's.
struct Got {
    status: u16,
    body: String,
}

impl Lab {
    /// `METHOD /path`, with `{index}` for a change of leaf1 that root has just made.
    pub(crate) async fn web(&self, identity: &str, method: &str, path: &str) -> Answer {
        let ends = path.ends_with("/confirm") || path.ends_with("/cancel");
        let index = match path.contains("{index}") {
            true => self.change("leaf1", if ends { 600 } else { 0 }).await,
            false => 0,
        };
        let at = path.replace("{index}", &index.to_string());
        let id = Some(self.id(identity)).filter(|id| !id.is_empty() && takes_id(method, path));
        let and = if at.contains('?') { '&' } else { '?' };
        let at = id.map_or(at.clone(), |id| format!("{at}{and}id={id}"));
        let body = self.body(method, path);
        let got = self.send(identity, method, &at, body.as_ref()).await;
        let answer = seen(&got);
        if answer.is_err() && ends {
            self.admin("root").confirm(ConfirmRequest { index }).await.unwrap();
        }
        if answer.is_ok() {
            self.tidy(method, path).await;
        }
        answer
    }

    fn body(&self, method: &str, path: &str) -> Option<Value> {
        match (method, path) {
            ("POST", "/api/v1/transactions" | "/api/v1/transactions?dry_run") => {
                Some(json!({"leaf1": {"update": {"/system/motd": "x"}}}))
            }
            ("POST", "/api/v1/targets/extra") => Some(json!({"address": "127.0.0.1:1"})),
            ("PATCH", _) => Some(json!({"address": self.address("leaf1")})),
            _ => None,
        }
    }

    /// As it was before.
    async fn tidy(&self, method: &str, path: &str) {
        match (method, path) {
            ("POST", "/api/v1/targets/extra") => {
                let request = RemoveTargetRequest { name: "extra".into(), ..Default::default() };
                self.admin("root").remove_target(request).await.unwrap();
            }
            ("DELETE", _) => {
                self.admin("root").add_target(self.added("leaf1")).await.unwrap();
                self.settled().await;
            }
            ("PATCH", _) => self.settled().await,
            (_, path) if path.ends_with("/pause") => self.resume("leaf1").await,
            _ => {}
        }
    }

    /// Every operation of the API, as its document has them.
    pub(crate) async fn operations(&self) -> Vec<(String, String)> {
        let got = self.send("root", "GET", "/api/v1/openapi.json", None).await;
        let document: Value = serde_json::from_str(&got.body).unwrap();
        let paths = document["paths"].as_object().unwrap().iter();
        let each = paths.flat_map(|(path, operations)| {
            let methods = operations.as_object().unwrap().keys();
            methods.map(move |method| (method.to_uppercase(), path.clone()))
        });
        each.collect()
    }

    async fn send(&self, identity: &str, method: &str, path: &str, body: Option<&Value>) -> Got {
        let secured = identity == shown::CLIENT;
        let address = if secured { self.https() } else { self.http() };
        let login = match identity {
            "nobody" | shown::CLIENT => String::new(),
            shown::BEARER => format!("authorization: Bearer {}\r\n", shown::token()),
            "wrong" => "authorization: Bearer x.y.z\r\n".to_owned(),
            name => {
                let encoded = BASE64.encode(format!("{name}:{name}").as_bytes());
                format!("authorization: Basic {encoded}\r\n")
            }
        };
        let body = body.map(Value::to_string).unwrap_or_default();
        let kind = if body.is_empty() { "" } else { "content-type: application/json\r\n" };
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {address}\r\n{login}{kind}content-length: {length}\r\n\
             connection: close\r\n\r\n{body}"
        );
        let mut stream = TcpStream::connect(address).await.unwrap();
        if secured {
            let name = shown::NODE.try_into().unwrap();
            let mut stream = shown::of_http().connect(name, stream).await.unwrap();
            stream.write_all(request.as_bytes()).await.unwrap();
            return timeout(PATIENCE, read(&mut stream)).await.expect("in time");
        }
        stream.write_all(request.as_bytes()).await.unwrap();
        timeout(PATIENCE, read(&mut stream)).await.expect("in time")
    }
}

/// Whether it becomes a transaction, for which the caller may have an id.
fn takes_id(method: &str, path: &str) -> bool {
    method == "DELETE" || path.contains("/rollback") || path.contains("/restore")
}

/// Reads to the end; or to the end of the first event.
async fn read(stream: &mut (impl AsyncRead + Unpin)) -> Got {
    let mut all = Vec::new();
    let mut part = [0; 65536];
    loop {
        let count = stream.read(&mut part).await.unwrap();
        all.extend_from_slice(&part[..count]);
        let text = String::from_utf8_lossy(&all).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let events = head.contains("text/event-stream");
        let first = body.lines().find_map(|line| line.strip_prefix("data: "));
        let status = || head.split(' ').nth(1).unwrap().parse().unwrap();
        match first.filter(|_| events && body.contains("\n\n")) {
            Some(first) => return Got { status: status(), body: first.to_owned() },
            None if count == 0 => return Got { status: status(), body: unchunked(head, body) },
            None => {}
        }
    }
}

/// A body that came in pieces is JSON on one line, and the sizes between are not.
fn unchunked(head: &str, body: &str) -> String {
    match head.contains("transfer-encoding: chunked") {
        true => String::new(),
        false => body.to_owned(),
    }
}

fn seen(got: &Got) -> Answer {
    let code = match got.status {
        200 => {
            let mut seen = Seen::default();
            seen.look(&serde_json::from_str(&got.body).unwrap_or_default());
            return Ok(seen);
        }
        401 => Code::Unauthenticated,
        403 => Code::PermissionDenied,
        404 => Code::NotFound,
        _ => Code::Unknown,
    };
    Err(Status::new(code, format!("{}: {}", got.status, got.body)))
}
