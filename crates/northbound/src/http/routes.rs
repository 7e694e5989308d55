//! The table of routes, and how they are served.

use axum::Router;
use axum::extract::{RawPathParams, Request};
use axum::http::Method;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, on};
use lockstep_gnmi::{json, outcome, words};
use lockstep_types::Index;
use tonic::Status;

use super::answer::refused;
use super::asked::Asked;
use super::route::{Form, Gives, Parameter, Route, Takes};
use super::{configurations, others, targets, transactions};
use crate::admin::Service;
use crate::guard::Call;

const fn parameter(name: &'static str, form: Form, about: &'static str) -> Parameter {
    Parameter { name, form, about }
}

const SIDES: Form = Form::OneOf(&["visible", "committed", "applied", "device"]);
const TARGETS: Parameter =
    parameter("target", Form::Texts, "only those that concern one of these targets");
const KINDS: Parameter = parameter("kind", Form::SomeOf(&words::KINDS), "only of these kinds");
const AUTHORS: Parameter = parameter("author", Form::Texts, "only by one of these");
const BRIEF: Parameter = parameter(
    "brief",
    Form::Flag,
    "without the targets of each, only with how many there are of each status (`counts`)",
);
const COMMENT: Parameter = parameter("comment", Form::Text, "what it is for");
const ID: Parameter =
    parameter("id", Form::Text, "sent again with the same id, it is not done again");
const DEADLINE: Parameter = parameter("deadline", Form::Seconds, "when it is given up; 60 s");
const DRY_RUN: Parameter =
    parameter("dry_run", Form::Flag, "only says what would happen, as `DryRun`");
const ASYNC: Parameter =
    parameter("async", Form::Flag, "answer with the decision, instead of with the outcome");
const QUEUED: Parameter =
    parameter("queued", Form::Flag, "each target when it can, instead of everywhere or nowhere");
const CONFIRM: Parameter =
    parameter("confirm", Form::Seconds, "taken back again unless it is confirmed within this time");
const ONLY: Parameter = parameter("target", Form::Texts, "only on these targets");
const PATHS: Parameter = parameter("path", Form::Texts, "only there");

/// Every route.
pub(super) static ROUTES: &[Route] = &[
    Route {
        method: "GET",
        path: "/api/v1/summary",
        name: "getSummary",
        about: "How everything stands, in numbers",
        parameters: &[parameter(
            "brief",
            Form::Flag,
            "without what has to be counted: `targets` and `transactions` are empty",
        )],
        takes: Takes::Nothing,
        gives: Gives::One("Summary"),
        serve: |admin, asked| Box::pin(others::summary(admin, asked)),
    },
    Route {
        method: "GET",
        path: "/api/v1/me",
        name: "whoAmI",
        about: "Who the caller is, and what they may do",
        parameters: &[],
        takes: Takes::Nothing,
        gives: Gives::One("Me"),
        serve: |admin, asked| Box::pin(others::who(admin, asked)),
    },
    Route {
        method: "GET",
        path: "/api/v1/transactions",
        name: "listTransactions",
        about: "Transactions, latest first",
        parameters: &[
            parameter("limit", Form::Number, "at most so many; 100"),
            parameter(
                "before",
                Form::Number,
                "only before this index: `next_before` of the page before",
            ),
            parameter("after", Form::Number, "only after this index"),
            parameter("status", Form::SomeOf(&words::STATUSES), "only with one of these"),
            TARGETS,
            KINDS,
            AUTHORS,
            parameter("since", Form::Time, "only submitted then or later"),
            parameter("until", Form::Time, "only submitted then or earlier"),
            parameter("comment", Form::Text, "only with this in the comment"),
            parameter("id", Form::Text, "only the one with this id"),
            BRIEF,
        ],
        takes: Takes::Nothing,
        gives: Gives::One("Transactions"),
        serve: |admin, asked| Box::pin(transactions::list(admin, asked)),
    },
    Route {
        method: "POST",
        path: "/api/v1/transactions",
        name: "submit",
        about: "Change configuration, on any number of targets at once",
        parameters: &[QUEUED, ASYNC, DRY_RUN, COMMENT, DEADLINE, ID, CONFIRM],
        takes: Takes::Body("ChangeFile"),
        gives: Gives::One("TransactionOrDryRun"),
        serve: |admin, asked| Box::pin(transactions::submit(admin, asked)),
    },
    Route {
        method: "GET",
        path: "/api/v1/transactions/{index}",
        name: "getTransaction",
        about: "One transaction",
        parameters: &[BRIEF],
        takes: Takes::Nothing,
        gives: Gives::One("Transaction"),
        serve: |admin, asked| Box::pin(transactions::get(admin, asked)),
    },
    Route {
        method: "GET",
        path: "/api/v1/transactions/{index}/changes",
        name: "getTransactionChanges",
        about: "What a transaction changes, target by target; of one that was never decided, what it would",
        parameters: &[ONLY],
        takes: Takes::Nothing,
        gives: Gives::One("ChangesByTarget"),
        serve: |admin, asked| Box::pin(transactions::changes(admin, asked)),
    },
    Route {
        method: "POST",
        path: "/api/v1/transactions/{index}/rollback",
        name: "rollback",
        about: "Take a change out again, as a transaction of its own",
        parameters: &[
            parameter(
                "rule",
                Form::OneOf(&["target", "path"]),
                "when the change counts as the latest; target",
            ),
            ONLY,
            DRY_RUN,
            ASYNC,
            COMMENT,
            DEADLINE,
            ID,
        ],
        takes: Takes::MaybeBody("TargetNames"),
        gives: Gives::One("TransactionOrDryRun"),
        serve: |admin, asked| Box::pin(transactions::rollback(admin, asked)),
    },
    Route {
        method: "POST",
        path: "/api/v1/transactions/{index}/restore",
        name: "restore",
        about: "Take targets back to how they stood after this entry",
        parameters: &[ONLY, DRY_RUN, QUEUED, ASYNC, COMMENT, DEADLINE, ID, CONFIRM],
        takes: Takes::MaybeBody("TargetNames"),
        gives: Gives::One("TransactionOrDryRun"),
        serve: |admin, asked| Box::pin(transactions::restore(admin, asked)),
    },
    Route {
        method: "POST",
        path: "/api/v1/transactions/{index}/confirm",
        name: "confirm",
        about: "Confirm a change that would be taken back otherwise",
        parameters: &[],
        takes: Takes::Nothing,
        gives: Gives::One("Transaction"),
        serve: |admin, asked| Box::pin(transactions::confirm(admin, asked)),
    },
    Route {
        method: "POST",
        path: "/api/v1/transactions/{index}/cancel",
        name: "cancel",
        about: "Call off a transaction that has no outcome yet, or take back one that is not confirmed yet",
        parameters: &[],
        takes: Takes::Nothing,
        gives: Gives::One("Transaction"),
        serve: |admin, asked| Box::pin(transactions::cancel(admin, asked)),
    },
    Route {
        method: "GET",
        path: "/api/v1/watch/transactions",
        name: "watchTransactions",
        about: "Transactions as they come in and move on",
        parameters: &[
            parameter("index", Form::Number, "only this one, until it has its outcome"),
            TARGETS,
            KINDS,
            AUTHORS,
            parameter(
                "latest",
                Form::Number,
                "first the latest so many, the earliest of them first",
            ),
            parameter("after", Form::Number, "first those after this index"),
            BRIEF,
        ],
        takes: Takes::Nothing,
        gives: Gives::Events(&[("transaction", "Transaction"), ("synced", "Synced")]),
        serve: |admin, asked| Box::pin(transactions::watch(admin, asked)),
    },
    Route {
        method: "GET",
        path: "/api/v1/watch/configurations",
        name: "watchConfigurations",
        about: "What becomes of visible configurations, transaction by transaction",
        parameters: &[parameter("target", Form::Texts, "only of these"), PATHS],
        takes: Takes::Nothing,
        gives: Gives::Events(&[("changes", "TargetChanged"), ("synced", "Synced")]),
        serve: |admin, asked| Box::pin(configurations::watch(admin, asked)),
    },
    Route {
        method: "GET",
        path: "/api/v1/watch/targets",
        name: "watchTargets",
        about: "How targets stand, and again whenever one stands otherwise",
        parameters: &[parameter("name", Form::Texts, "only these")],
        takes: Takes::Nothing,
        gives: Gives::Events(&[("targets", "TargetsChanged")]),
        serve: |admin, asked| Box::pin(targets::watch(admin, asked)),
    },
    Route {
        method: "GET",
        path: "/api/v1/targets",
        name: "listTargets",
        about: "Targets, by name",
        parameters: &[
            parameter("state", Form::SomeOf(&words::STATES), "only in one of these states"),
            parameter("tag", Form::Texts, "only with one of these tags"),
        ],
        takes: Takes::Nothing,
        gives: Gives::Many("Target"),
        serve: |admin, asked| Box::pin(targets::list(admin, asked)),
    },
    Route {
        method: "GET",
        path: "/api/v1/targets/{name}",
        name: "getTarget",
        about: "One target",
        parameters: &[],
        takes: Takes::Nothing,
        gives: Gives::One("Target"),
        serve: |admin, asked| Box::pin(targets::get(admin, asked)),
    },
    Route {
        method: "POST",
        path: "/api/v1/targets/{name}",
        name: "addTarget",
        about: "Add a target",
        parameters: &[DRY_RUN, COMMENT, ID, DEADLINE],
        takes: Takes::Body("TargetOptions"),
        gives: Gives::One("TargetDone"),
        serve: |admin, asked| Box::pin(targets::add(admin, asked)),
    },
    Route {
        method: "PATCH",
        path: "/api/v1/targets/{name}",
        name: "setTarget",
        about: "Reach a target, or deal with it, otherwise; an option that is null is as for a new target again",
        parameters: &[COMMENT, ID, DEADLINE],
        takes: Takes::Body("TargetOptions"),
        gives: Gives::One("TargetDone"),
        serve: |admin, asked| Box::pin(targets::set(admin, asked)),
    },
    Route {
        method: "DELETE",
        path: "/api/v1/targets/{name}",
        name: "removeTarget",
        about: "Remove a target; its device is left as it is",
        parameters: &[COMMENT, ID, DEADLINE],
        takes: Takes::Nothing,
        gives: Gives::One("TargetDone"),
        serve: |admin, asked| Box::pin(targets::remove(admin, asked)),
    },
    Route {
        method: "POST",
        path: "/api/v1/targets/{name}/{order}",
        name: "operateTarget",
        about: "pause, resume, sync, adopt or claim a target",
        parameters: &[],
        takes: Takes::Nothing,
        gives: Gives::One("Target"),
        serve: |admin, asked| Box::pin(targets::operate(admin, asked)),
    },
    Route {
        method: "GET",
        path: "/api/v1/targets/{name}/configuration",
        name: "getConfiguration",
        about: "A configuration of a target: a side of it now, or how the visible one stood",
        parameters: &[
            parameter("side", SIDES, "visible"),
            parameter("index", Form::Number, "as it stood after this entry of the log"),
            parameter("time", Form::Time, "as it stood then"),
            PATHS,
            parameter("defaults", Form::Flag, "with the leaves that are at their default"),
        ],
        takes: Takes::Nothing,
        gives: Gives::One("Configuration"),
        serve: |admin, asked| Box::pin(configurations::get(admin, asked)),
    },
    Route {
        method: "GET",
        path: "/api/v1/targets/{name}/diff",
        name: "diff",
        about: "Where two configurations differ, of one target or of two",
        parameters: &[
            parameter("side", SIDES, "from: visible"),
            parameter("index", Form::Number, "from how it stood after this entry"),
            parameter("time", Form::Time, "from how it stood then"),
            parameter("to", Form::Text, "another target; otherwise the same"),
            parameter("to_side", SIDES, "to: visible"),
            parameter("to_index", Form::Number, "to how it stood after this entry"),
            parameter("to_time", Form::Time, "to how it stood then"),
            PATHS,
        ],
        takes: Takes::Nothing,
        gives: Gives::One("Diff"),
        serve: |admin, asked| Box::pin(configurations::diff(admin, asked)),
    },
    Route {
        method: "GET",
        path: "/api/v1/models",
        name: "listModels",
        about: "The model sets of the node that is asked",
        parameters: &[],
        takes: Takes::Nothing,
        gives: Gives::Many("Model"),
        serve: |admin, asked| Box::pin(others::models(admin, asked)),
    },
    Route {
        method: "POST",
        path: "/api/v1/models/reload",
        name: "reloadModels",
        about: "Have that node load the model sets that its file names now",
        parameters: &[],
        takes: Takes::Nothing,
        gives: Gives::Many("Model"),
        serve: |admin, asked| Box::pin(others::reload(admin, asked)),
    },
    Route {
        method: "GET",
        path: "/api/v1/nodes",
        name: "listNodes",
        about: "The nodes that are alive, with their masterships",
        parameters: &[],
        takes: Takes::Nothing,
        gives: Gives::Many("Node"),
        serve: |admin, asked| Box::pin(others::nodes(admin, asked)),
    },
    Route {
        method: "GET",
        path: "/api/v1/export",
        name: "export",
        about: "Everything the store holds at one revision",
        parameters: &[],
        takes: Takes::Nothing,
        gives: Gives::File,
        serve: |admin, asked| Box::pin(others::export(admin, asked)),
    },
    Route {
        method: "POST",
        path: "/api/v1/compact",
        name: "compact",
        about: "Let go of the earlier part of the log, and of what the store keeps of the past",
        parameters: &[parameter(
            "keep",
            Form::Number,
            "the latest so many entries of the log stay; otherwise all that there are",
        )],
        takes: Takes::Nothing,
        gives: Gives::One("Compacted"),
        serve: |admin, asked| Box::pin(others::compact(admin, asked)),
    },
    Route {
        method: "GET",
        path: "/api/v1/openapi.json",
        name: "describe",
        about: "This document",
        parameters: &[],
        takes: Takes::Nothing,
        gives: Gives::One("Document"),
        serve: |admin, asked| Box::pin(others::describe(admin, asked)),
    },
];

/// Whether a path hands out all that there is. That is written down, although it only reads.
pub(crate) fn hands_out_everything(path: &str) -> bool {
    ROUTES.iter().any(|route| route.path == path && matches!(route.gives, Gives::File))
}

/// Serves every route of the table.
pub(super) fn routes(admin: Service) -> Router {
    ROUTES.iter().fold(Router::new(), |router, route| {
        let admin = admin.clone();
        let serve =
            move |parts: RawPathParams, request: Request| serve(admin, route, parts, request);
        let method = Method::from_bytes(route.method.as_bytes()).unwrap_or_default();
        let filter = MethodFilter::try_from(method).unwrap_or(MethodFilter::GET);
        router.route(route.path, on(filter, serve))
    })
}

async fn serve(
    admin: Service,
    route: &'static Route,
    parts: RawPathParams,
    request: Request,
) -> Response {
    let call = request.extensions().get::<Call>().cloned();
    let Some(call) = call else {
        return refused(&Status::internal("a call that did not come in by the door"), None);
    };
    let path = parts.iter().map(|(name, text)| (name.to_owned(), text.to_owned())).collect();
    let (head, body) = request.into_parts();
    let query = head.uri.query().unwrap_or_default();
    let limit = admin.gnmi.message;
    let asked = Asked::read(call.clone(), route, path, query, (head.headers, body), limit);
    let served = match asked {
        Ok(asked) => (route.serve)(admin.clone(), asked).await,
        Err(status) => Err(status),
    };
    match served {
        Ok(answer) => answer.into_response(),
        Err(status) => {
            let index = outcome::read(&status).map(|outcome| Index::new(outcome.index));
            let became = index.and_then(|index| admin.shown(&call, index));
            refused(&status, became.as_ref().map(json::transaction))
        }
    }
}
