//! The page and the documentation, out of the binary.
//!
//! ```text
//!   /, /targets/leaf1, /docs/http, …   the one document, which looks at the address itself   asked for anew each time
//!   /assets/DIGEST/main.js, …          its parts; DIGEST is that of all of them              kept for good
//!   /docs/http.md, /docs/pictures/…    the documentation as it is written, and what it leads to  asked for anew each time
//! ```
//!
//! Open to everybody, since nothing of it is about this network: whoever has to say who they are does so on the page,
//! and everything that it shows comes through the API.

mod files {
    //! The table that `build.rs` writes.
    include!(concat!(env!("OUT_DIR"), "/files.rs"));
}

use std::sync::LazyLock;

use axum::Router;
use axum::body::Bytes;
use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use data_encoding::HEXLOWER;
use ring::digest::{Context, SHA256};
use serde_json::{Value, json};
use tonic::Status;

use super::answer::refused;

/// Where the page is: the first part of each address that it knows.
const PLACES: [&str; 6] = ["", "targets", "transactions", "change", "docs", "login"];
const ASSETS: &str = "assets";

/// Whether this is a place of the page, or a part of it.
pub(crate) fn is_at(path: &str) -> bool {
    let first = path.trim_start_matches('/').split('/').next().unwrap_or_default();
    path.starts_with('/') && (PLACES.contains(&first) || first == ASSETS)
}

/// Nothing but what this node serves, no scripts but files, and no markup from text. A browser that does not know a rule
/// leaves it out.
const RULES: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/// A picture that is looked at by itself runs nothing.
const RULES_OF_PICTURES: &str = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/// May be kept, and is asked for anew each time.
const ASK: &str = "no-cache";
/// Never changes under its address.
const KEEP: &str = "public, max-age=31536000, immutable";

/// The document, and what is in the addresses of its parts.
struct Page {
    document: Bytes,
    digest: String,
}

static THE_PAGE: LazyLock<Page> = LazyLock::new(|| {
    let digest = digest(files::PAGE.iter().flat_map(|(name, content)| [name.as_bytes(), content]));
    let at = format!("/{ASSETS}/{digest}");
    // The first one is no module, and stands in the document.
    let modules = |name: &str| name.ends_with(".js") && name != "theme-first.js";
    let scripts = files::PAGE.iter().filter(|(name, _)| modules(name));
    // All at once, instead of each when another has been read that needs it.
    let preload =
        scripts.map(|(name, _)| format!("<link rel=\"modulepreload\" href=\"{at}/{name}\">\n"));
    let document = file(files::PAGE, "index.html").map(String::from_utf8_lossy).unwrap_or_default();
    let document = document.replace("<!-- modules -->\n", &preload.collect::<String>());
    Page { document: Bytes::from(document.replace("{assets}", &at)), digest }
});

/// What pages of documentation there are.
const INDEX: &str = "index.json";

/// Their names and titles, by title.
static THE_INDEX: LazyLock<Bytes> = LazyLock::new(|| {
    let pages = files::DOCS.iter().filter_map(|(file, content)| {
        let name = file.strip_suffix(".md")?;
        let text = String::from_utf8_lossy(content);
        let title = text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or(name);
        Some((title.to_owned(), name))
    });
    let mut pages: Vec<_> = pages.collect();
    pages.sort();
    let pages = pages.into_iter().map(|(title, name)| json!({ "name": name, "title": title }));
    Bytes::from(pages.collect::<Value>().to_string())
});

fn digest<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> String {
    let mut all = Context::new(&SHA256);
    for part in parts {
        all.update(part);
        all.update(&[0]);
    }
    HEXLOWER.encode(&all.finish().as_ref()[..12])
}

fn file(of: &'static [(&str, &[u8])], name: &str) -> Option<&'static [u8]> {
    let at = of.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
    of.get(at).map(|(_, content)| *content)
}

/// Serves all of it.
pub(super) fn routes() -> Router {
    let router = PLACES.iter().fold(Router::new(), |router, place| match *place {
        "" => router.route("/", get(document)),
        "docs" => router.route("/docs", get(document)).route("/docs/{*name}", get(docs)),
        place => router
            .route(&format!("/{place}"), get(document))
            .route(&format!("/{place}/{{name}}"), get(document)),
    });
    router.route(&format!("/{ASSETS}/{{digest}}/{{*name}}"), get(asset))
}

async fn document(headers: HeaderMap) -> Response {
    answer(&headers, "index.html", THE_PAGE.document.clone(), ASK)
}

async fn asset(Path((digest, name)): Path<(String, String)>, headers: HeaderMap) -> Response {
    let Some(content) = file(files::PAGE, &name) else { return nothing() };
    // While nodes are upgraded, a page may ask another node than the one it came from.
    let keep = if digest == THE_PAGE.digest { KEEP } else { ASK };
    answer(&headers, &name, Bytes::from_static(content), keep)
}

async fn docs(Path(name): Path<String>, headers: HeaderMap) -> Response {
    match file(files::DOCS, &name) {
        None if name == INDEX => answer(&headers, INDEX, THE_INDEX.clone(), ASK),
        Some(content) => answer(&headers, &name, Bytes::from_static(content), ASK),
        // The name of a page, without its ending.
        None if file(files::DOCS, &format!("{name}.md")).is_some() => document(headers).await,
        None => nothing(),
    }
}

fn nothing() -> Response {
    refused(
        &Status::not_found("there is nothing here; / is the page, and /docs its documentation"),
        None,
    )
}

fn answer(asked: &HeaderMap, name: &str, content: Bytes, keep: &'static str) -> Response {
    let tag = format!("\"{}\"", digest([&content[..]]));
    let known = asked.get(header::IF_NONE_MATCH).and_then(|known| known.to_str().ok());
    let known = known.is_some_and(|known| {
        known.split(',').any(|one| one.trim().trim_start_matches("W/") == tag)
    });
    let rules = if name.ends_with(".svg") { RULES_OF_PICTURES } else { RULES };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(kind(name))),
        (header::CACHE_CONTROL, HeaderValue::from_static(keep)),
        (header::ETAG, HeaderValue::from_str(&tag).unwrap_or(HeaderValue::from_static("\"\""))),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(rules)),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    ];
    match known {
        true => (StatusCode::NOT_MODIFIED, headers).into_response(),
        false => (headers, content).into_response(),
    }
}

/// What a file is, by the ending of its name.
fn kind(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "md" => "text/markdown; charset=utf-8",
        _ => "text/plain; charset=utf-8",
    }
}

#[cfg(test)]
mod tests;
