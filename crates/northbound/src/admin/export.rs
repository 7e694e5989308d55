//! The store as a stream of bytes, while the node goes on.

use crate::refusal;
use lockstep_gnmi::proto::lockstep::v1::ExportResponse;
use lockstep_store::{Error, Records};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

/// What a client is sent.
pub(super) type Stream = ReceiverStream<Result<ExportResponse, Status>>;

/// How many messages wait for a slow client; the rest waits in the store.
const AHEAD: usize = 4;
/// How many bytes a message has at the most: below what any client takes.
const MESSAGE: usize = 1 << 20;

/// Begins an export, which ends by itself when the client goes away.
pub(super) fn start(records: Records) -> Stream {
    let (messages, stream) = mpsc::channel(AHEAD);
    tokio::spawn(async move {
        let (out, blocks) = mpsc::channel(1);
        let export = async move { records.export(&out).await };
        let (exported, ()) = tokio::join!(export, forward(blocks, &messages));
        match exported {
            Ok(done) => tracing::info!(entries = done.entries, bytes = done.bytes, "exported"),
            Err(error) => {
                tracing::warn!(%error, "an export ended early");
                // Nobody is told if it ended because nobody is there.
                let _gone = messages.send(Err(status(&error))).await;
            }
        }
    });
    ReceiverStream::new(stream)
}

async fn forward(
    mut blocks: mpsc::Receiver<Vec<u8>>,
    messages: &mpsc::Sender<Result<ExportResponse, Status>>,
) {
    while let Some(block) = blocks.recv().await {
        for data in block.chunks(MESSAGE) {
            if messages.send(Ok(ExportResponse { data: data.to_vec() })).await.is_err() {
                return;
            }
        }
    }
}

fn status(error: &Error) -> Status {
    match error {
        Error::Compacted { .. } => Status::aborted(
            "the store is written to faster than the export is taken; try again, or write it to a \
             faster disk",
        ),
        Error::Closed => refusal::stopping(),
        other => Status::internal(other.to_string()),
    }
}
