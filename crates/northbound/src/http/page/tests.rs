//! What is served of the page, and how.

use axum::http::HeaderName;

use super::*;

async fn body(response: Response) -> String {
    let body = axum::body::to_bytes(response.into_body(), 1 << 22).await.unwrap();
    String::from_utf8_lossy(&body).into_owned()
}

fn text(response: &Response, name: HeaderName) -> String {
    response.headers().get(name).unwrap().to_str().unwrap().to_owned()
}

#[tokio::test]
async fn the_document_names_its_parts_and_each_is_there() {
    let document = body(document(HeaderMap::new()).await).await;
    let parts: Vec<&str> = document.split("/assets/").skip(1).collect();
    assert!(parts.len() > 5, "{document}");
    for part in parts {
        let (digest, rest) = part.split_once('/').unwrap();
        let name = rest.split('"').next().unwrap().to_owned();
        let answer = asset(Path((digest.to_owned(), name.clone())), HeaderMap::new()).await;
        assert_eq!(answer.status(), StatusCode::OK, "{name}");
        assert_eq!(text(&answer, header::CACHE_CONTROL), KEEP);
        assert_ne!(kind(&name), "text/plain; charset=utf-8", "{name}");
    }
    assert!(!document.contains("{assets}") && !document.contains("<!--"));
    // A module is run late; this is to be run first, and as what it is.
    assert_eq!(document.matches("theme-first.js").count(), 1);
}

#[tokio::test]
async fn what_a_browser_has_already_is_not_sent_again() {
    let first = document(HeaderMap::new()).await;
    assert_eq!(text(&first, header::CACHE_CONTROL), ASK);
    let tag = text(&first, header::ETAG);
    let asked = |known: String| {
        let mut headers = HeaderMap::new();
        headers.insert(header::IF_NONE_MATCH, HeaderValue::from_str(&known).unwrap());
        headers
    };
    for known in [tag.clone(), format!("W/{tag}"), format!("\"other\", {tag}")] {
        let again = document(asked(known)).await;
        assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
        assert_eq!(body(again).await, "");
    }
    assert_eq!(document(asked("\"other\"".into())).await.status(), StatusCode::OK);
}

#[tokio::test]
async fn a_part_of_another_version_is_not_kept() {
    let answer = asset(Path(("before".into(), "style.css".into())), HeaderMap::new()).await;
    assert_eq!(text(&answer, header::CACHE_CONTROL), ASK);
    assert_eq!(text(&answer, header::CONTENT_TYPE), "text/css; charset=utf-8");
    let answer = asset(Path(("before".into(), "nothing.css".into())), HeaderMap::new()).await;
    assert_eq!(answer.status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn the_documentation_is_served_as_it_is_written() {
    let written = docs(Path("http.md".into()), HeaderMap::new()).await;
    assert_eq!(text(&written, header::CONTENT_TYPE), "text/markdown; charset=utf-8");
    assert!(body(written).await.starts_with("# HTTP"));
    assert!(
        body(docs(Path("http".into()), HeaderMap::new()).await).await.contains("<!doctype html>")
    );
    let index = body(docs(Path("index.json".into()), HeaderMap::new()).await).await;
    let index: Vec<Value> = serde_json::from_str(&index).unwrap();
    assert!(index.iter().any(|page| page["name"] == "page" && page["title"] == "The page"));
    for beside in ["ARCHITECTURE", "CHANGELOG", "packaging/README", "spec/README"] {
        assert!(index.iter().any(|page| page["name"] == beside), "{beside}");
        let page = docs(Path(format!("{beside}.md")), HeaderMap::new()).await;
        assert_eq!(page.status(), StatusCode::OK, "{beside}");
    }
    for nothing in ["nothing", "../Cargo.toml", "http.md/", ""] {
        let answer = docs(Path(nothing.into()), HeaderMap::new()).await;
        assert_eq!(answer.status(), StatusCode::NOT_FOUND, "{nothing}");
    }
}

#[test]
fn the_page_is_open_and_nothing_else_is() {
    for path in ["/", "/targets", "/targets/leaf1", "/docs/http.md", "/assets/x/y.js", "/login"] {
        assert!(is_at(path), "{path}");
    }
    for path in ["/api/v1/targets", "/api", "/metrics", "/nowhere", "/targetss", "targets", "*"] {
        assert!(!is_at(path), "{path}");
    }
}
