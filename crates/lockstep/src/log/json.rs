//! Lines as JSON: one flat object each, with the fields of the spans around it.

use std::fmt;
use std::time::SystemTime;

use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::{FormatEvent, FormatFields, Writer};
use tracing_subscriber::fmt::{FmtContext, FormattedFields};
use tracing_subscriber::registry::LookupSpan;

/// Writes them: `time`, `level`, `room` (the part of the program), `message`, and whatever else there is to say.
#[derive(Debug)]
pub(super) struct Lines;

impl<S, N> FormatEvent<S, N> for Lines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut line = Map::new();
        let now = prost_types::Timestamp::from(SystemTime::now()).to_string();
        line.insert("time".into(), now.into());
        line.insert("level".into(), event.metadata().level().as_str().to_lowercase().into());
        line.insert("room".into(), event.metadata().target().into());
        for span in context.event_scope().into_iter().flat_map(|scope| scope.from_root()) {
            let extensions = span.extensions();
            let fields =
                extensions.get::<FormattedFields<N>>().map(|fields| fields.fields.as_str());
            let fields = fields.and_then(|fields| serde_json::from_str::<Map<_, _>>(fields).ok());
            line.extend(fields.unwrap_or_default());
        }
        event.record(&mut Fields(&mut line));
        writeln!(writer, "{}", Value::Object(line))
    }
}

/// Takes in what an event says.
struct Fields<'a>(&'a mut Map<String, Value>);

impl Fields<'_> {
    fn put(&mut self, field: &Field, value: impl Into<Value>) {
        self.0.insert(field.name().into(), value.into());
    }
}

impl Visit for Fields<'_> {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, value);
    }

    /// With what lies below it.
    fn record_error(&mut self, field: &Field, value: &(dyn std::error::Error + 'static)) {
        let (mut words, mut below) = (value.to_string(), value.source());
        while let Some(error) = below {
            words = format!("{words}: {error}");
            below = error.source();
        }
        self.put(field, words);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.put(field, format!("{value:?}"));
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex};

    use tracing_subscriber::fmt::format::JsonFields;

    use super::*;

    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_line_is_one_object_with_what_its_spans_say() {
        let kept = Kept::default();
        let writer = kept.clone();
        let lines = tracing_subscriber::fmt().with_writer(move || writer.clone());
        let lines = lines.fmt_fields(JsonFields::new()).event_format(Lines).finish();
        tracing::subscriber::with_default(lines, || {
            let _of = tracing::info_span!("device", target = %"leaf1").entered();
            let error = io::Error::other("a \"quoted\"\nline");
            let error = &error as &dyn std::error::Error;
            tracing::warn!(transaction = 7, lost = true, error, "not done");
        });
        let said = String::from_utf8(kept.0.lock().unwrap().clone()).unwrap();
        assert_eq!(said.lines().count(), 1, "{said}");
        let line: Value = serde_json::from_str(&said).unwrap();
        assert_eq!(line["target"], "leaf1");
        assert_eq!(line["transaction"], 7);
        assert_eq!(line["lost"], true);
        assert_eq!(line["level"], "warn");
        assert_eq!(line["message"], "not done");
        assert_eq!(line["error"], "a \"quoted\"\nline");
        assert!(line["time"].as_str().unwrap().ends_with('Z'), "{line}");
    }
}
