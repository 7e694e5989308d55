//! Pages of other sites: what a browser does for them in the name of its user, with credentials that it keeps.
//!
//! A browser sends what it keeps (a password, a certificate, or nothing where nobody is asked) with requests that any
//! page makes. So a request that changes something must not come from another site, which browsers say; others, such as
//! curl, say nothing of the kind and are let through. What another site may read, browsers see to: it is never told that
//! it may. And where nobody is asked who they are, another site could still give its own name the address of this
//! node, so there the name has to be one that cannot be given away.

use std::net::IpAddr;

use axum::extract::Request;
use axum::http::{HeaderMap, Method, Uri, header};

use super::Refused;

/// Whether a browser says that a script makes the request, and not its user.
pub(super) fn is_by_script(headers: &HeaderMap) -> bool {
    text(headers, "sec-fetch-mode").is_some_and(|mode| mode != "navigate")
}

/// Refuses what may come from a page of another site.
pub(super) fn check(request: &Request, open: bool) -> Result<(), Refused> {
    let headers = request.headers();
    let host = text(headers, header::HOST.as_str())
        .or_else(|| request.uri().authority().map(|a| a.as_str()));
    if open && host.is_some_and(|host| !is_own(host)) {
        return Err(Refused::Site(
            "ask for the node by its address or as localhost, since it asks nobody who they are",
        ));
    }
    let reads = [Method::GET, Method::HEAD, Method::OPTIONS].contains(request.method());
    if reads {
        return Ok(());
    }
    if text(headers, "sec-fetch-site").is_some_and(|site| site != "same-origin" && site != "none") {
        return Err(Refused::Site("the browser says so (Sec-Fetch-Site)"));
    }
    match text(headers, header::ORIGIN.as_str()) {
        None => Ok(()),
        Some(origin) if authority(origin).as_deref() == host => Ok(()),
        Some(_) => Err(Refused::Site("its origin is not that of this node (Origin)")),
    }
}

fn text<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name).map(|value| value.to_str().unwrap_or("?"))
}

fn authority(origin: &str) -> Option<String> {
    let uri: Uri = origin.parse().ok()?;
    uri.authority().map(ToString::to_string)
}

/// Whether nobody else can have this name.
fn is_own(host: &str) -> bool {
    let name = host.rsplit_once(':').filter(|(_, port)| port.bytes().all(|b| b.is_ascii_digit()));
    let name = name.map_or(host, |(name, _)| name);
    let address = name.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost") || address.parse::<IpAddr>().is_ok()
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn asked(method: &str, headers: &[(&str, &str)]) -> Request {
        let mut request = Request::builder().method(method).uri("/api/v1/compact");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(Body::empty()).unwrap()
    }

    #[test]
    fn who_says_nothing_is_no_browser() {
        assert!(check(&asked("POST", &[("host", "127.0.0.1:9340")]), true).is_ok());
        assert!(check(&asked("POST", &[("host", "node.example:9340")]), false).is_ok());
    }

    #[test]
    fn only_our_own_page_changes_something() {
        let host = ("host", "127.0.0.1:9340");
        for (headers, fine) in [
            (vec![host, ("origin", "http://127.0.0.1:9340")], true),
            (vec![host, ("origin", "http://127.0.0.1:9341")], false),
            (vec![host, ("origin", "https://evil.example")], false),
            (vec![host, ("origin", "null")], false),
            (vec![host, ("sec-fetch-site", "same-origin")], true),
            (vec![host, ("sec-fetch-site", "none")], true),
            (vec![host, ("sec-fetch-site", "same-site")], false),
            (vec![host, ("sec-fetch-site", "cross-site")], false),
        ] {
            assert_eq!(check(&asked("POST", &headers), false).is_ok(), fine, "{headers:?}");
            assert_eq!(check(&asked("DELETE", &headers), false).is_ok(), fine, "{headers:?}");
            assert!(check(&asked("GET", &headers), false).is_ok(), "{headers:?}");
        }
    }

    #[test]
    fn where_nobody_is_asked_a_name_has_to_be_ours() {
        for (host, fine) in [
            ("127.0.0.1:9340", true),
            ("[::1]:9340", true),
            ("localhost", true),
            ("LOCALHOST:9340", true),
            ("evil.example:9340", false),
            ("localhost.evil.example", false),
        ] {
            assert_eq!(check(&asked("GET", &[("host", host)]), true).is_ok(), fine, "{host}");
            assert!(check(&asked("GET", &[("host", host)]), false).is_ok());
        }
    }
}
