//! The standard health service of gRPC says what `/readyz` says.

use std::time::Duration;

use lockstep_gnmi::proto::gnmi::g_nmi_server::GNmiServer;
use lockstep_gnmi::proto::lockstep::v1::admin_server::AdminServer;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tonic::server::NamedService;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;

use crate::http::Health;
use crate::{admin, gnmi};

/// How often it is looked.
const LOOK: Duration = Duration::from_secs(1);

/// What can be asked for: the node as a whole, and each of its services.
const SERVICES: [&str; 3] = [
    "",
    <GNmiServer<gnmi::Service> as NamedService>::NAME,
    <AdminServer<admin::Service> as NamedService>::NAME,
];

/// Says that the node serves; from the first answer on.
pub(crate) async fn begin(reporter: &HealthReporter) {
    say(reporter, ServingStatus::Serving).await;
}

/// Says again and again whether it does, until it is stopped.
pub(crate) async fn follow(health: Health, reporter: HealthReporter, stop: CancellationToken) {
    loop {
        tokio::select! {
            biased;
            () = stop.cancelled() => return,
            () = sleep(LOOK) => {}
        }
        let status = match health.ready().await {
            Ok(()) => ServingStatus::Serving,
            Err(_) => ServingStatus::NotServing,
        };
        say(&reporter, status).await;
    }
}

async fn say(reporter: &HealthReporter, status: ServingStatus) {
    for service in SERVICES {
        reporter.set_service_status(service, status).await;
    }
}
