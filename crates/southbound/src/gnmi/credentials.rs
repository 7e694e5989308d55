//! Who we are to a device, said with each request.

use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::{Request, Status};

use super::Options;
use crate::ConnectError;

/// What is added to the metadata of each request.
#[derive(Clone, Debug)]
pub(super) struct Credentials(Vec<(&'static str, MetadataValue<Ascii>)>);

impl Credentials {
    pub(super) fn new(options: &Options) -> Result<Self, ConnectError> {
        let bearer = options.token.as_ref().map(|token| format!("Bearer {token}"));
        let said = [
            ("username", "username", &options.username),
            ("password", "password", &options.password),
            ("token", "authorization", &bearer),
        ];
        let said = said.into_iter().filter_map(|(option, key, value)| {
            value.as_ref().map(|value| Ok((key, metadata(option, value)?)))
        });
        Ok(Self(said.collect::<Result<_, ConnectError>>()?))
    }
}

fn metadata(option: &'static str, value: &str) -> Result<MetadataValue<Ascii>, ConnectError> {
    let mut value: MetadataValue<Ascii> = value.parse().map_err(|_| ConnectError::Option {
        option,
        reason: "only printable ASCII characters can be sent".to_owned(),
    })?;
    value.set_sensitive(true);
    Ok(value)
}

impl Interceptor for Credentials {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        for (key, value) in &self.0 {
            request.metadata_mut().insert(*key, value.clone());
        }
        Ok(request)
    }
}
