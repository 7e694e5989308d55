//! What may share a batch.

use std::collections::HashSet;

use crate::etcd::txn::{OPERATIONS, room};
use crate::kv::{Compare, Op, Txn};

/// A batch in the making, and those it has passed over.
#[derive(Debug)]
pub(super) struct Fit<'a> {
    /// What an operation or a compare is larger than its key and its value.
    each: usize,
    members: usize,
    /// The operations, or the compares, of the member with the most.
    widest: usize,
    bytes: usize,
    written: HashSet<&'a [u8]>,
    compared: HashSet<&'a [u8]>,
}

impl<'a> Fit<'a> {
    pub(super) fn new(each: usize) -> Self {
        let (written, compared) = Default::default();
        Self { each, members: 0, widest: 0, bytes: 0, written, compared }
    }

    /// Takes the next one in, if it fits; the first always does.
    pub(super) fn offer(&mut self, txn: &'a Txn) -> bool {
        let apart = self.is_apart(txn);
        // Also of one that has to wait: nobody overtakes it who does not get along with it.
        self.written.extend(txn.ops.iter().map(|op| &**op.key()));
        self.compared.extend(txn.compares.iter().map(|compare| &**compare.key()));
        let operations = txn.ops.len().max(txn.compares.len());
        let widest = self.widest.max(operations);
        let bytes = self.bytes + size(txn, self.each);
        // etcd counts the members, and lets each have what these leave.
        let fits = self.members + 1 + widest <= OPERATIONS && bytes <= room();
        let joins = self.members == 0 || apart && fits;
        if joins {
            (self.members, self.widest, self.bytes) = (self.members + 1, widest, bytes);
        }
        joins
    }

    /// Whether it is all the same which comes first, this one or those before it.
    fn is_apart(&self, txn: &Txn) -> bool {
        let written = |key: &[u8]| self.written.contains(key);
        let clashes = |key: &[u8]| written(key) || self.compared.contains(key);
        !txn.ops.iter().map(Op::key).any(|key| clashes(key))
            && !txn.compares.iter().map(Compare::key).any(|key| written(key))
    }
}

fn size(txn: &Txn, each: usize) -> usize {
    txn.bytes() + (1 + txn.ops.len() + txn.compares.len()) * each
}

#[cfg(test)]
mod tests {
    //! Who goes together, who waits, and who may not overtake.

    use super::{Fit, OPERATIONS};
    use crate::kv::{Compare, Op, Txn};

    /// Compares and writes the keys that are named.
    fn txn(compared: &str, written: &str) -> Txn {
        let keys = |names: &str| names.chars().map(String::from).collect::<Vec<_>>();
        let compares = keys(compared).into_iter().map(|key| Compare::Exists(key.as_bytes().into()));
        let ops = keys(written).into_iter().map(|key| Op::put(key.as_bytes(), *b"x"));
        Txn { compares: compares.collect(), ops: ops.collect() }
    }

    fn joins(line: &[Txn]) -> Vec<bool> {
        let mut fit = Fit::new(48);
        line.iter().map(|txn| fit.offer(txn)).collect()
    }

    #[test]
    fn those_that_do_not_get_along_are_kept_apart() {
        for (other, fine) in [
            (txn("c", "d"), true),
            // What both compare neither writes.
            (txn("a", "d"), true),
            (txn("", "b"), false),
            (txn("c", "a"), false),
            (txn("b", "d"), false),
            (Txn { compares: vec![], ops: vec![Op::Delete(b"b"[..].into())] }, false),
        ] {
            assert_eq!(joins(&[txn("a", "b"), other.clone()]), [true, fine], "{other:?}");
        }
    }

    #[test]
    fn nobody_overtakes_one_it_does_not_get_along_with() {
        // The second waits for the first; the third could go, but would overtake the second.
        let line = [txn("", "a"), txn("a", "b"), txn("", "b"), txn("b", "c"), txn("", "d")];
        assert_eq!(joins(&line), [true, false, false, false, true]);
    }

    #[test]
    fn a_batch_stays_within_what_etcd_takes() {
        let wide = |first: u8, count: usize| {
            let key = |n: usize| [vec![first], n.to_be_bytes().to_vec()].concat();
            Txn { compares: vec![], ops: (0..count).map(|n| Op::put(key(n), *b"x")).collect() }
        };
        assert_eq!(joins(&[wide(0, OPERATIONS), wide(1, 1)]), [true, false]);
        assert_eq!(joins(&[wide(0, OPERATIONS - 2), wide(1, 1), wide(2, 1)]), [true, true, false]);
        // One that does not fit does not keep a narrower one from it.
        assert_eq!(joins(&[wide(0, 1), wide(1, OPERATIONS), wide(2, 5)]), [true, false, true]);
        let narrow: Vec<Txn> = (0..=u8::MAX).map(|n| wide(n, 4)).collect();
        assert_eq!(joins(&narrow).into_iter().filter(|joins| *joins).count(), OPERATIONS - 4);

        let large =
            |key: u8| Txn { compares: vec![], ops: vec![Op::put([key], vec![7; 600 << 10])] };
        assert_eq!(joins(&[large(0), large(1), large(2), wide(9, 1)]), [true, true, false, true]);
    }
}
