//! The OpenAPI document, made from the routes that are served.

mod open;

use serde_json::{Map, Value, json};

use super::route::{Form, Gives, Parameter, Route, Takes};
use super::routes::ROUTES;
use super::schema::schemas;

/// The document.
pub(super) fn document() -> Value {
    let mut paths: Map<String, Value> = Map::new();
    for route in ROUTES {
        let at = paths.entry(route.path).or_insert_with(|| json!({}));
        at[route.method.to_ascii_lowercase()] = operation(route);
    }
    paths.extend(open::paths());
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Lockstep",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Network-wide configuration transactions. The same service as lockstep.v1.Admin over gRPC.",
        },
        // The last is for nodes without `users`, `tokens` and `roles`, which ask nobody who they are.
        "security": [{ "basic": [] }, { "bearer": [] }, { "certificate": [] }, {}],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "basic": { "type": "http", "scheme": "basic" },
                "bearer": { "type": "http", "scheme": "bearer", "bearerFormat": "JWT" },
                "certificate": { "type": "mutualTLS" },
            },
            "schemas": schemas(),
        },
    })
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

fn operation(route: &Route) -> Value {
    let in_path = route.path.split('/').filter_map(|part| {
        let name = part.strip_prefix('{')?.strip_suffix('}')?;
        Some(json!({
            "name": name,
            "in": "path",
            "required": true,
            "schema": of_path(name),
        }))
    });
    let after = route.parameters.iter().map(parameter);
    let mut operation = json!({
        "operationId": route.name,
        "summary": route.about,
        "parameters": in_path.chain(after).collect::<Vec<_>>(),
        "responses": {
            "200": { "description": "It is done.", "content": content(route.gives) },
            "default": {
                "description": "It is not done, or not as asked.",
                "content": { "application/json": { "schema": reference("Refused") } },
            },
        },
    });
    let body = match route.takes {
        Takes::Nothing => None,
        Takes::MaybeBody(body) => Some((body, false)),
        Takes::Body(body) => Some((body, true)),
    };
    if let Some((body, required)) = body {
        operation["requestBody"] = json!({
            "required": required,
            "content": {
                "application/json": { "schema": reference(body) },
                "application/yaml": { "schema": reference(body) },
            },
        });
    }
    operation
}

fn of_path(name: &str) -> Value {
    match name {
        "index" => json!({ "type": "integer", "minimum": 1 }),
        "order" => json!({ "enum": ["pause", "resume", "sync", "adopt", "claim"] }),
        _ => json!({ "type": "string" }),
    }
}

fn parameter(parameter: &Parameter) -> Value {
    let schema = match parameter.form {
        Form::Text => json!({ "type": "string" }),
        Form::Texts => json!({ "type": "array", "items": { "type": "string" } }),
        Form::Number => json!({ "type": "integer", "minimum": 0 }),
        Form::Flag => json!({ "type": "boolean" }),
        Form::Time => json!({ "type": "string", "format": "date-time" }),
        Form::Seconds => json!({ "type": "number", "exclusiveMinimum": 0 }),
        Form::OneOf(words) => json!({ "enum": words }),
        Form::SomeOf(words) => json!({ "type": "array", "items": { "enum": words } }),
    };
    json!({
        "name": parameter.name,
        "in": "query",
        "description": parameter.about,
        "schema": schema,
    })
}

fn content(gives: Gives) -> Value {
    match gives {
        Gives::One(name) => json!({ "application/json": { "schema": reference(name) } }),
        Gives::Many(name) => json!({
            "application/json": { "schema": { "type": "array", "items": reference(name) } },
        }),
        Gives::Events(events) => {
            let told = events.iter().map(|(event, name)| {
                json!({ "properties": { "event": { "const": event }, "data": reference(name) } })
            });
            let failed = json!({ "properties": { "event": { "const": "error" }, "data": reference("Failed") } });
            let each: Vec<Value> = told.chain([failed]).collect();
            json!({ "text/event-stream": { "schema": { "oneOf": each } } })
        }
        Gives::File => json!({ "application/octet-stream": { "schema": { "type": "string" } } }),
    }
}

#[cfg(test)]
mod tests;
