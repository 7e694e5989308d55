//! What is read again is not in memory again.

use lockstep_types::{Content, Index, Patch, Path, Unit, Value};

use super::{MOST, Pool};

fn patch(path: &str, text: &str) -> Patch {
    [(path.parse().unwrap(), Unit::present(Content::leaf(text), Index::new(1)))]
        .into_iter()
        .collect()
}

/// Where the elements of the path lie, and where the text.
fn places(patch: &Patch) -> (*const u8, *const u8) {
    let (path, unit) = patch.iter().next().unwrap();
    let Some(Content::Leaf(Value::String(text))) = &unit.content else {
        panic!("a text was put there")
    };
    (path.elements().as_ptr().cast(), text.as_ptr())
}

#[test]
fn a_path_and_its_content_are_in_memory_once() {
    let mut pool = Pool::default();
    let first = pool.patched(patch("/a[k=1]/b", "up"));
    let again = pool.patched(patch("/a[k=1]/b", "up"));
    assert_eq!(places(&first), places(&again));
}

#[test]
fn another_content_is_kept_apart() {
    let mut pool = Pool::default();
    let first = pool.patched(patch("/a", "up"));
    let other = pool.patched(patch("/a", "down"));
    assert_eq!(other, patch("/a", "down"));
    assert_eq!(places(&first).0, places(&other).0);
    assert_eq!(
        places(&other),
        places(&pool.patched(patch("/a", "down"))),
        "the last one is shared"
    );
}

#[test]
fn what_is_remembered_has_a_bound() {
    let mut pool = Pool::default();
    for number in 0..=MOST {
        pool.share(format!("/a[k={number}]").parse::<Path>().unwrap(), &mut None);
    }
    pool.settle();
    assert!(pool.0.is_empty());
}
