//! HTTP: the API that the page and curl use, whether the node lives, and whether it can be given work.
//!
//! ```text
//!   request ──► guard ──► route: parameters, body ──► the same service that gRPC asks ──► JSON, or events
//!                           └──► OpenAPI: the routes describe themselves
//! ```
//!
//! The page itself is files (`page`). There is no logic of its own here: a request becomes a message of `lockstep.v1` or of gNMI, and the answer to that
//! becomes JSON.

mod answer;
mod asked;
mod configurations;
mod connections;
mod health;
mod metrics;
mod openapi;
mod others;
mod page;
mod route;
mod routes;
mod schema;
mod targets;
mod transactions;

use axum::Router;
use axum::http::StatusCode;

pub(crate) use answer::refused;
pub(crate) use connections::run;
pub(crate) use health::{Health, alive, not_ready};
pub(crate) use metrics::said;
pub(crate) use page::is_at as is_page;
pub(crate) use routes::hands_out_everything;

use crate::admin;
use crate::guard::Guard;

/// Everything.
pub(crate) fn router(admin: admin::Service, health: Health, guard: Guard) -> Router {
    let (node, records) = (health.node.clone(), health.records.clone());
    routes::routes(admin)
        .merge(page::routes())
        .merge(metrics::router(node, records, guard))
        .merge(health::router(health))
        .fallback(|| async {
            let words = "there is nothing here; /api/v1/openapi.json says what there is";
            refused(&tonic::Status::not_found(words), None)
        })
        .method_not_allowed_fallback(|| async {
            let words = "that cannot be done here; /api/v1/openapi.json says what can";
            let mut answer = refused(&tonic::Status::unimplemented(words), None);
            *answer.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
            answer
        })
}
