//! Sets and Gets in few words.

use lockstep_gnmi::extension::{Arbitration, claim};
use lockstep_gnmi::proto::gnmi::{
    Encoding, GetRequest, GetResponse, Path, SetRequest, SetResponse, TypedValue, Update,
    typed_value,
};
use lockstep_gnmi::proto::gnmi_ext::Extension;
use lockstep_gnmi::{Election, path, value};
use serde_json::Value;
use tonic::{Code, Response, Status};

use crate::stage::Client;

/// What a refused call says.
pub(crate) type Refused = (Code, String);

pub(crate) fn at(text: &str) -> Path {
    path::write(&text.parse().expect("a path"))
}

/// A Set in the making.
#[derive(Clone, Default)]
pub(crate) struct Ask(pub(crate) SetRequest);

impl Ask {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn delete(mut self, path: &str) -> Self {
        self.0.delete.push(at(path));
        self
    }

    pub(crate) fn replace(mut self, path: &str, json: Value) -> Self {
        self.0.replace.push(update(path, value::json(&json, true)));
        self
    }

    pub(crate) fn update(mut self, path: &str, json: Value) -> Self {
        self.0.update.push(update(path, value::json(&json, true)));
        self
    }

    pub(crate) fn typed(mut self, path: &str, value: typed_value::Value) -> Self {
        self.0.update.push(update(path, TypedValue { value: Some(value) }));
        self
    }

    pub(crate) fn prefix(mut self, prefix: Path) -> Self {
        self.0.prefix = Some(prefix);
        self
    }

    pub(crate) fn master(self, role: &str, high: u64, low: u64) -> Self {
        let election = Election { high, low };
        self.extension(claim(&Arbitration { role: role.into(), election }))
    }

    pub(crate) fn extension(mut self, extension: Extension) -> Self {
        self.0.extension.push(extension);
        self
    }

    pub(crate) async fn send(self, client: &mut Client) -> Result<SetResponse, Refused> {
        plain(client.set(self.0).await)
    }

    /// The code of a Set that is refused.
    pub(crate) async fn code(self, client: &mut Client) -> Code {
        self.send(client).await.expect_err("a refusal").0
    }
}

fn update(path: &str, value: TypedValue) -> Update {
    Update { path: Some(at(path)), val: Some(value), ..Update::default() }
}

pub(crate) fn get(paths: &[&str]) -> GetRequest {
    GetRequest { path: paths.iter().map(|path| at(path)).collect(), ..GetRequest::default() }
}

pub(crate) fn ietf(path: &str) -> GetRequest {
    GetRequest { encoding: Encoding::JsonIetf.into(), ..get(&[path]) }
}

pub(crate) async fn send(client: &mut Client, request: GetRequest) -> Result<GetResponse, Refused> {
    plain(client.get(request).await)
}

/// The path and value of each update, in all notifications.
pub(crate) fn values(answer: &GetResponse) -> Vec<(String, Value)> {
    let updates = answer.notification.iter().flat_map(|one| &one.update);
    updates
        .map(|one| {
            let path = path::read(None, one.path.as_ref().expect("a path")).expect("a path");
            let (_, json) = value::read(one.val.as_ref().expect("a value")).expect("JSON");
            (path.to_string(), json)
        })
        .collect()
}

/// The one value at a path, in the plain form of JSON.
pub(crate) async fn read(client: &mut Client, path: &str) -> Result<Value, Refused> {
    let answer = send(client, get(&[path])).await?;
    let [(_, json)] = values(&answer).try_into().expect("one value");
    Ok(json)
}

fn plain<T>(answer: Result<Response<T>, Status>) -> Result<T, Refused> {
    answer.map(Response::into_inner).map_err(|status| (status.code(), status.message().to_owned()))
}
