//! What a request says: in its path, after it, and in its body.

use std::sync::Arc;

use axum::body::{Body, HttpBody, to_bytes};
use axum::http::{HeaderMap, header};
use percent_encoding::percent_decode_str;
use prost_types::{Duration, Timestamp};
use serde_json::{Map, Value};
use serde_saphyr::UserMessageFormatter;
use tonic::{Request, Status};

use super::route::Route;
use crate::guard::Call;

/// Marks a refusal for the one reason that HTTP has a status of its own for, and gRPC has not.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("too large")]
pub(super) struct TooLarge;

/// One request.
pub(super) struct Asked {
    pub(super) call: Call,
    route: &'static Route,
    path: Vec<(String, String)>,
    query: Vec<(String, String)>,
    headers: HeaderMap,
    body: Body,
    limit: usize,
}

impl Asked {
    /// Refuses a parameter that the route does not have: it would have no effect.
    pub(super) fn read(
        call: Call,
        route: &'static Route,
        path: Vec<(String, String)>,
        query: &str,
        (headers, body): (HeaderMap, Body),
        limit: usize,
    ) -> Result<Self, Status> {
        let query = pairs(query)?;
        for (at, (name, text)) in query.iter().enumerate() {
            let known = route.parameters.iter().find(|parameter| parameter.name == name);
            let Some(known) = known else {
                return Err(Status::invalid_argument(unknown(route, name)));
            };
            let before = query.iter().take(at).any(|(other, _)| other == name);
            if before && !known.form.is_many() {
                return Err(Status::invalid_argument(format!("{name} is given more than once")));
            }
            // A word that nothing is called would find nothing, and look like an answer.
            let words = known.form.words().filter(|words| !words.contains(&text.as_str()));
            if let Some(words) = words.filter(|_| !text.is_empty()) {
                let words = words.join(", ");
                return Err(Status::invalid_argument(format!(
                    "there is no {name} {text:?}; there are {words}"
                )));
            }
        }
        Ok(Self { call, route, path, query, headers, body, limit })
    }

    /// A message for the service, from the same caller.
    pub(super) fn request<M>(&self, message: M) -> Request<M> {
        let mut request = Request::new(message);
        request.extensions_mut().insert(self.call.clone());
        request
    }

    /// A part of the path.
    pub(super) fn at(&self, name: &str) -> String {
        let found = self.path.iter().find(|(known, _)| known == name);
        found.map(|(_, text)| text.clone()).unwrap_or_default()
    }

    /// The index in the path.
    pub(super) fn index(&self) -> Result<u64, Status> {
        let text = self.at("index");
        let index = text.parse().ok().filter(|index| *index > 0);
        index.ok_or_else(|| {
            Status::invalid_argument(format!("{text:?} is no index; they are 1, 2, 3, …"))
        })
    }

    fn given(&self, name: &str) -> Option<&str> {
        debug_assert!(
            self.route.parameters.iter().any(|parameter| parameter.name == name),
            "{} does not say that it takes {name}",
            self.route.path
        );
        self.query.iter().find(|(known, _)| known == name).map(|(_, text)| text.as_str())
    }

    pub(super) fn text(&self, name: &str) -> String {
        self.given(name).unwrap_or_default().to_owned()
    }

    pub(super) fn texts(&self, name: &str) -> Vec<String> {
        let all = self.query.iter().filter(|(known, _)| known == name);
        all.map(|(_, text)| text.clone()).collect()
    }

    pub(super) fn number<N: std::str::FromStr + Default>(&self, name: &str) -> Result<N, Status> {
        self.given(name).map_or(Ok(N::default()), |text| {
            text.parse().map_err(|_| {
                Status::invalid_argument(format!("{name} is a number, and {text:?} is none"))
            })
        })
    }

    pub(super) fn flag(&self, name: &str) -> Result<bool, Status> {
        match self.given(name) {
            None | Some("false") => Ok(false),
            // `?brief` is as good as `?brief=true`.
            Some("" | "true") => Ok(true),
            Some(other) => Err(Status::invalid_argument(format!(
                "{name} is true or false, and {other:?} is neither"
            ))),
        }
    }

    pub(super) fn time(&self, name: &str) -> Result<Option<Timestamp>, Status> {
        let read = |text: &str| {
            text.parse().map_err(|_| {
                Status::invalid_argument(format!(
                    "{name} is a time such as 2026-11-16T08:00:00Z, and {text:?} is none"
                ))
            })
        };
        self.given(name).map(read).transpose()
    }

    pub(super) fn seconds(&self, name: &str) -> Result<Option<Duration>, Status> {
        let read = |text: &str| {
            let seconds: Option<f64> = text.parse().ok();
            let seconds = seconds.and_then(|s| std::time::Duration::try_from_secs_f64(s).ok());
            let duration = seconds.and_then(|seconds| Duration::try_from(seconds).ok());
            duration.ok_or_else(|| {
                Status::invalid_argument(format!("{name} is in seconds, and {text:?} is not"))
            })
        };
        self.given(name).map(read).transpose()
    }

    /// The body, which is JSON or YAML.
    pub(super) async fn body(&mut self) -> Result<Value, Status> {
        let kind = self.headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let kind = kind.unwrap_or_default().split(';').next().unwrap_or_default().trim();
        let yaml = match kind.to_ascii_lowercase().as_str() {
            "application/json" => false,
            "application/yaml" | "application/x-yaml" | "text/yaml" => true,
            // Anything else may come from a form on somebody else's page.
            _ => {
                return Err(Status::invalid_argument(
                    "the body is application/json or application/yaml; say so in content-type \
                     (curl --json does)",
                ));
            }
        };
        let limit = self.limit;
        let body = to_bytes(std::mem::take(&mut self.body), limit).await;
        let body = body.map_err(|_| {
            let mut status = Status::resource_exhausted(format!(
                "the body could not be read, or is larger than limits.message, which is {limit} bytes"
            ));
            status.set_source(Arc::new(TooLarge));
            status
        })?;
        let text = std::str::from_utf8(&body)
            .map_err(|_| Status::invalid_argument("the body is not UTF-8"))?;
        let wrong = |error: String| Status::invalid_argument(format!("the body: {error}"));
        match yaml {
            true => {
                // Without the lines around: what was sent is not written into logs.
                let options = serde_saphyr::options! { with_snippet: false };
                let read = serde_saphyr::from_str_with_options(text, options);
                read.map_err(|error| wrong(error.render_with_formatter(&UserMessageFormatter)))
            }
            false => serde_json::from_str(text).map_err(|error| wrong(error.to_string())),
        }
    }

    /// Targets, named after the path or, however many they are, in a body of their own.
    pub(super) async fn targets(&mut self) -> Result<Vec<String>, Status> {
        let mut targets = self.texts("target");
        if self.body.is_end_stream() {
            return Ok(targets);
        }
        // To name none would be every target there is, which nobody says by way of an empty or misspelt list.
        let wrong = || {
            Status::invalid_argument(r#"the body is {"targets": [names]}, with a name at least"#)
        };
        let mut members = self.object().await?;
        let named = members.remove("targets").filter(|_| members.is_empty());
        let named: Vec<String> =
            named.and_then(|named| serde_json::from_value(named).ok()).ok_or_else(wrong)?;
        if named.is_empty() {
            return Err(wrong());
        }
        targets.extend(named);
        Ok(targets)
    }

    /// The body, which is an object.
    pub(super) async fn object(&mut self) -> Result<Map<String, Value>, Status> {
        match self.body().await? {
            Value::Object(members) => Ok(members),
            _ => Err(Status::invalid_argument("the body is an object of options")),
        }
    }
}

fn unknown(route: &Route, name: &str) -> String {
    let known: Vec<&str> = route.parameters.iter().map(|parameter| parameter.name).collect();
    match known.as_slice() {
        [] => format!("there is no parameter {name:?}; {} {} takes none", route.method, route.path),
        known => format!("there is no parameter {name:?}; there are {}", known.join(", ")),
    }
}

/// `a=b&c=d`, decoded.
fn pairs(query: &str) -> Result<Vec<(String, String)>, Status> {
    let decode = |text: &str| {
        let text = text.replace('+', " ");
        let decoded = percent_decode_str(&text).decode_utf8().map(String::from);
        decoded.map_err(|_| Status::invalid_argument("what stands after the `?` is not UTF-8"))
    };
    let each = query.split('&').filter(|pair| !pair.is_empty());
    let each = each.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    each.map(|(name, text)| Ok((decode(name)?, decode(text)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::pairs;

    #[test]
    fn parameters_are_decoded() {
        let read = pairs("a=b%20c&path=/l%5Bname%3Deth1/1%5D&x&a=1+2=3").unwrap();
        let read: Vec<(&str, &str)> = read.iter().map(|(a, b)| (&**a, &**b)).collect();
        assert_eq!(read, [("a", "b c"), ("path", "/l[name=eth1/1]"), ("x", ""), ("a", "1 2=3")]);
        assert!(pairs("a=%ff").is_err());
        assert!(pairs("").unwrap().is_empty());
    }
}
