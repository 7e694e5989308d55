//! What is open to everybody beside the API, since nothing of it is about this network: for whoever watches nodes.

use serde_json::{Map, Value, json};

/// Its path, name and sentence; and what is said where the answer is no.
const OPEN: [(&str, &str, &str, Option<&str>); 3] = [
    ("/healthz", "isAlive", "Whether the node lives", None),
    ("/readyz", "isReady", "Whether the node can be given work", Some("It cannot, and why.")),
    ("/metrics", "metrics", "What is counted, as Prometheus reads it", None),
];

/// A path for each.
pub(super) fn paths() -> Map<String, Value> {
    let one = |(path, name, about, no): &(&str, &str, &str, Option<&str>)| {
        let text = || json!({ "text/plain": { "schema": { "type": "string" } } });
        let mut responses = json!({ "200": { "description": "It is.", "content": text() } });
        if let Some(no) = no {
            responses["503"] = json!({ "description": no, "content": text() });
        }
        let get = json!({
            "operationId": name,
            "summary": about,
            "security": [],
            "parameters": [],
            "responses": responses,
        });
        ((*path).to_owned(), json!({ "get": get }))
    };
    OPEN.iter().map(one).collect()
}
