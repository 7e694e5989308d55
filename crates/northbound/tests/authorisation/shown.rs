//! What callers show to say who they are, besides passwords: a token that is signed, and a certificate.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use data_encoding::BASE64URL_NOPAD;
use lockstep_northbound::{Issuer, Keys, Tls};
use ring::hmac;
use serde_json::json;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto};
use tonic::transport::{Certificate, ClientTlsConfig, Identity};

/// Whoever comes with a token, and in which group it says they are.
pub(crate) const BEARER: &str = "bearer";
const CREW: &str = "crew";
/// Whoever comes with a certificate: its common name.
pub(crate) const CLIENT: &str = "client";
/// Whom the certificate of the node is for.
pub(crate) const NODE: &str = "leaf1";

const SECRET: &[u8] = b"a secret of more than thirty-two bytes";

/// Whose tokens are believed.
pub(crate) fn issuer() -> Issuer {
    Issuer {
        issuer: "lab".into(),
        audience: "lockstep".into(),
        name: "sub".into(),
        groups: "groups".into(),
        keys: Keys::from_secret(SECRET).unwrap(),
    }
}

/// A token of theirs.
pub(crate) fn token() -> String {
    let until = SystemTime::now().duration_since(UNIX_EPOCH).unwrap() + Duration::from_secs(3600);
    let header = json!({"alg": "HS256", "typ": "JWT"});
    let claims = json!({
        "iss": "lab", "aud": "lockstep", "sub": BEARER, "groups": [CREW], "exp": until.as_secs(),
    });
    let encode = |part: &str| BASE64URL_NOPAD.encode(part.as_bytes());
    let message = format!("{}.{}", encode(&header.to_string()), encode(&claims.to_string()));
    let key = hmac::Key::new(hmac::HMAC_SHA256, SECRET);
    let signature = hmac::sign(&key, message.as_bytes());
    format!("{message}.{}", BASE64URL_NOPAD.encode(signature.as_ref()))
}

fn file(name: &str) -> PathBuf {
    let certificates = "../southbound/tests/gnmi/certificates";
    Path::new(env!("CARGO_MANIFEST_DIR")).join(certificates).join(name)
}

fn read(name: &str) -> Vec<u8> {
    std::fs::read(file(name)).unwrap()
}

/// What a node shows, and who may sign what its clients show.
pub(crate) fn tls() -> Tls {
    let (cert, key) = (file(&format!("{NODE}.pem")), file(&format!("{NODE}.key")));
    Tls { cert, key, ca: Some(file("authority.pem")), require_client_cert: false }
}

/// What a client of gRPC shows.
pub(crate) fn of_grpc() -> ClientTlsConfig {
    ClientTlsConfig::new()
        .ca_certificate(Certificate::from_pem(read("authority.pem")))
        .identity(Identity::from_pem(read("client.pem"), read("client.key")))
        .domain_name(NODE)
}

/// The same over HTTP.
pub(crate) fn of_http() -> TlsConnector {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(&read("authority.pem")).unwrap()).unwrap();
    let certificate = CertificateDer::from_pem_slice(&read("client.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_slice(&read("client.key")).unwrap();
    let provider = Arc::new(crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_client_auth_cert(vec![certificate], key)
        .unwrap();
    TlsConnector::from(Arc::new(config))
}
