//! What changes, path by path, as somebody may see it.

use lockstep_gnmi::proto::lockstep::v1::Change;
use lockstep_types::{Configuration, Content, Delta, Path};
use lockstep_yang::{Fate, Form, ModelSet};
use serde_json::{Value, json};

use crate::text;
use crate::veil::{MASK, Veil};

/// Shows changes of one target.
#[derive(Clone, Copy)]
pub(super) struct Changes<'a> {
    /// None: it is gone, or its models are; then values are shown as texts.
    pub(super) models: Option<&'a ModelSet>,
    pub(super) veil: &'a Veil,
}

impl Changes<'_> {
    /// What becomes of one unit; none: not for these eyes.
    pub(super) fn one(
        &self,
        path: &Path,
        before: Option<&Content>,
        after: Option<&Content>,
    ) -> Option<Change> {
        let masked = match self.veil.fate(path) {
            Fate::Drop => return None,
            Fate::Mask => true,
            Fate::Keep => false,
        };
        let shown = |content: Option<&Content>| {
            content.map(|content| self.shown(path, content, masked).to_string())
        };
        Some(Change { path: path.to_string(), before: shown(before), after: shown(after), masked })
    }

    fn shown(&self, path: &Path, content: &Content, masked: bool) -> Value {
        match (masked, content) {
            // It does not tell how many values it has.
            (true, Content::LeafList(_)) => json!([MASK]),
            (true, _) => json!(MASK),
            (false, content) => self.json(path, content),
        }
    }

    fn json(&self, path: &Path, content: &Content) -> Value {
        let encoded = self.models.and_then(|models| models.encode(path, content, Form::Ietf).ok());
        encoded.unwrap_or_else(|| Value::String(text::content(content)))
    }

    /// What a delta makes of what stood. A secret is told of whether it differs or not, or guesses could be
    /// tried out.
    pub(super) fn written(&self, before: &Delta, after: &Delta) -> Vec<Change> {
        let each = after.iter().filter_map(|(path, content)| {
            let before = before.get(path).and_then(Option::as_ref);
            let hidden = self.veil.hides(path);
            let same = before == content.as_ref() && !hidden;
            (!same).then(|| self.one(path, before, content.as_ref())).flatten()
        });
        each.collect()
    }

    /// How many secrets stand in both of two trees: of these it is not told whether they differ.
    pub(super) fn secrets_of_both(
        &self,
        from: &Configuration,
        to: &Configuration,
        wanted: impl Fn(&Path) -> bool,
    ) -> u64 {
        if self.veil.is_open() {
            return 0;
        }
        let both = from.iter().filter(|(path, _)| to.get(path).is_some() && wanted(path));
        let secrets = both.filter(|(path, _)| self.veil.fate(path) == Fate::Mask).count();
        u64::try_from(secrets).unwrap_or(u64::MAX)
    }

    /// Where two trees differ. Of a secret only that it came or went, for the same reason.
    pub(super) fn between(
        &self,
        from: &Configuration,
        to: &Configuration,
        wanted: impl Fn(&Path) -> bool,
    ) -> Vec<Change> {
        let differing = from.diff(to);
        let each = differing.iter().filter(|(path, _)| wanted(path));
        let each = each.filter_map(|(path, content)| {
            let before = from.get(path);
            let both = before.is_some() && content.is_some();
            (!(both && self.veil.hides(path)))
                .then(|| self.one(path, before, content.as_ref()))
                .flatten()
        });
        each.collect()
    }
}
