//! How HTTP/2 and TLS are spoken to a device.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::fs;
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint, Identity};

use super::Options;
use super::unverified::Unverified;
use crate::ConnectError;

/// Windows that let a configuration of many megabytes come in without a pause at each 64 KiB.
const WINDOW: u32 = 4 << 20;

/// The settings for a connection to this address. With `pings`, a device that is quiet is asked for a
/// sign of life even when nothing is under way.
pub(super) async fn endpoint(
    options: &Options,
    address: &str,
    pings: bool,
) -> Result<Endpoint, ConnectError> {
    let scheme = if options.insecure { "http" } else { "https" };
    let endpoint = Endpoint::from_shared(format!("{scheme}://{address}"))
        .map_err(|error| wrong("addresses", format!("{}: {error}", options.say(address))))?
        .user_agent(concat!("lockstep/", env!("CARGO_PKG_VERSION")))
        .map_err(|error| wrong("addresses", error.to_string()))?
        .initial_stream_window_size(WINDOW)
        // A subscription that nobody reads right now must not hold up the others.
        .initial_connection_window_size(4 * WINDOW)
        .http2_keep_alive_interval(options.keepalive.max(Duration::from_millis(1)))
        .keep_alive_timeout(options.keepalive)
        .keep_alive_while_idle(pings);
    if options.insecure {
        return Ok(endpoint);
    }
    let tls = client(options).await?;
    let secured = if options.skip_verify {
        endpoint.tls_config_with_verifier(tls, Arc::new(Unverified::new()))
    } else {
        endpoint.tls_config(tls.ca_certificate(authority(options).await?))
    };
    secured.map_err(|error| wrong("tls", chain(&error)))
}

/// The name we expect, and the certificate we show.
async fn client(options: &Options) -> Result<ClientTlsConfig, ConnectError> {
    // Devices seldom say that they speak HTTP/2 before they do.
    let mut tls = ClientTlsConfig::new().assume_http2(true).timeout(options.timeout);
    if let Some(name) = &options.tls_server_name {
        tls = tls.domain_name(name);
    }
    match (&options.tls_cert, &options.tls_key) {
        (Some(certificate), Some(key)) => {
            let certificate = read("tls-cert", certificate).await?;
            Ok(tls.identity(Identity::from_pem(certificate, read("tls-key", key).await?)))
        }
        (None, None) => Ok(tls),
        (Some(_), None) => Err(wrong("tls-cert", "needs tls-key beside it".to_owned())),
        (None, Some(_)) => Err(wrong("tls-key", "needs tls-cert beside it".to_owned())),
    }
}

async fn authority(options: &Options) -> Result<Certificate, ConnectError> {
    let Some(path) = &options.tls_ca else {
        let reason = "needed to tell the device from others; or set skip-verify, or insecure";
        return Err(wrong("tls-ca", reason.to_owned()));
    };
    Ok(Certificate::from_pem(read("tls-ca", path).await?))
}

async fn read(option: &'static str, path: &Path) -> Result<Vec<u8>, ConnectError> {
    let content = fs::read(path).await;
    content.map_err(|error| wrong(option, format!("{}: {error}", path.display())))
}

fn wrong(option: &'static str, reason: String) -> ConnectError {
    ConnectError::Option { option, reason }
}

/// An error with what it came from: tonic's own words say only that transport failed.
pub(super) fn chain(error: &dyn std::error::Error) -> String {
    let mut words = vec![error.to_string()];
    let mut source = error.source();
    while let Some(error) = source {
        let next = error.to_string();
        if words.last() != Some(&next) {
            words.push(next);
        }
        source = error.source();
    }
    words.join(": ")
}
