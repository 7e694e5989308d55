//! Reading keys in order, a page at a time.

use lockstep_types::Revision;

use super::Entry;

/// Which keys to read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Range {
    /// The first.
    pub from: Vec<u8>,
    /// The first one beyond; none: to the end.
    pub until: Option<Vec<u8>>,
    /// As they stood at this revision; none: now.
    pub revision: Option<Revision>,
    /// How many at the most; zero: as many as the store gives at once.
    pub limit: usize,
}

impl Range {
    /// Every key.
    #[must_use]
    pub fn all() -> Self {
        Self::default()
    }

    /// Every key that begins like this.
    #[must_use]
    pub fn prefix(prefix: impl Into<Vec<u8>>) -> Self {
        let from = prefix.into();
        let mut until = from.clone();
        while until.pop_if(|last| *last == u8::MAX).is_some() {}
        let beyond = until.last_mut().map(|last| *last += 1);
        Self { from, until: beyond.map(|()| until), ..Self::default() }
    }

    /// One key.
    #[must_use]
    pub fn key(key: impl Into<Vec<u8>>) -> Self {
        let from = key.into();
        let until = [from.as_slice(), &[0]].concat();
        Self { from, until: Some(until), ..Self::default() }
    }

    /// The same keys at this revision.
    #[must_use]
    pub fn at(mut self, revision: Revision) -> Self {
        self.revision = Some(revision);
        self
    }

    /// So many at the most.
    #[must_use]
    pub fn limited(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// What is left to read after a page, at the page's revision. None: it was the last.
    #[must_use]
    pub fn after(&self, page: &Page) -> Option<Self> {
        let from = page.next.clone()?;
        Some(Self { from, revision: Some(page.revision), ..self.clone() })
    }

    pub(crate) fn contains(&self, key: &[u8]) -> bool {
        key >= self.from.as_slice() && self.until.as_deref().is_none_or(|until| key < until)
    }
}

/// Some keys in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The revision at which they stand.
    pub revision: Revision,
    /// The keys with their values.
    pub entries: Vec<Entry>,
    /// Where the next page begins; none: there is no more.
    pub next: Option<Vec<u8>>,
}
