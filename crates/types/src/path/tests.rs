//! Paths as examples; the laws are in the property tests.

use super::{Element, Error, Expected, Found, Path};

fn path(text: &str) -> Path {
    text.parse().unwrap()
}

fn element(name: &str, keys: &[(&str, &str)]) -> Element {
    let bare = Element::new(name).unwrap();
    keys.iter().fold(bare, |element, (key, value)| element.with_key(*key, *value).unwrap())
}

fn syntax(text: &str) -> (usize, Found, Expected) {
    match text.parse::<Path>() {
        Err(Error::Syntax { position, found, expected }) => (position, found, expected),
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn reads_names_and_keys() {
    let read = path("/a/b[name=eth1/1][id=10.0.0.0/8]/c");
    let keys = [("name", "eth1/1"), ("id", "10.0.0.0/8")];
    assert_eq!(read.elements(), [element("a", &[]), element("b", &keys), element("c", &[])]);
    assert_eq!(read.to_string(), "/a/b[id=10.0.0.0/8][name=eth1/1]/c");
}

#[test]
fn the_root_has_three_spellings_and_prints_one() {
    assert_eq!(path("/"), Path::root());
    assert_eq!(path(""), Path::default());
    assert_eq!(Path::root().to_string(), "/");
    assert_eq!(path("a/b"), path("/a/b"));
}

#[test]
fn escapes_are_read_and_written() {
    for (text, name, key, value) in [
        (r"/foo[name=\]]", "foo", "name", "]"),
        (r"/foo[name=[]", "foo", "name", "["),
        (r"/foo[name=[\\\]]", "foo", "name", r"[\]"),
        (r"/foo[name=]", "foo", "name", ""),
        (r"/foo[name==a = b/]", "foo", "name", "=a = b/"),
        (r"/a\/b\[c\\d]=[k\=\]e=v]", r"a/b[c\d]=", "k=]e", "v"),
        (r"/foo[name=a\nb\rc\u0000d]", "foo", "name", "a\nb\rc\0d"),
        ("/ f o [ n = v ]", " f o ", " n ", " v "),
    ] {
        let expected = Path::new([element(name, &[(key, value)])]);
        assert_eq!(path(text), expected, "{text}");
        assert_eq!(expected.to_string(), text);
    }
}

#[test]
fn more_escapes_are_read_than_written() {
    assert_eq!(path(r"/a\=\*[k=\[\=\u00e9\U00E9é]"), path("/a=*[k=[=ééé]"));
    assert_eq!(path("/a[k=x\ny]"), path(r"/a[k=x\ny]"));
}

#[test]
fn errors_say_where_what_and_what_instead() {
    let c = Found::Character;
    assert_eq!(syntax("/é//b"), (4, c('/'), Expected::Name));
    assert_eq!(syntax("/a/"), (4, Found::End, Expected::Name));
    assert_eq!(syntax("//"), (2, c('/'), Expected::Name));
    assert_eq!(syntax("/[k=v]"), (2, c('['), Expected::Name));
    assert_eq!(syntax("/a[=v]"), (4, c('='), Expected::KeyName));
    assert_eq!(syntax("/a[]"), (4, c(']'), Expected::KeyName));
    assert_eq!(syntax("/a["), (4, Found::End, Expected::KeyName));
    assert_eq!(syntax("/a[k]"), (5, c(']'), Expected::Equals));
    assert_eq!(syntax("/a[k=v"), (7, Found::End, Expected::KeyEnd));
    assert_eq!(syntax("/a[k=v]b"), (8, c('b'), Expected::Next));
    assert_eq!(syntax("/...[k=v]"), (5, c('['), Expected::NextElement));
    assert_eq!(syntax(r"/a\b"), (4, c('b'), Expected::Escape));
    assert_eq!(syntax(r"/a\"), (4, Found::End, Expected::Escape));
    assert_eq!(syntax(r"/a\u00g0"), (7, c('g'), Expected::Hexadecimal));
    assert_eq!(syntax(r"/a\ud800"), (5, c('d'), Expected::Hexadecimal));
    let error = "/a[k=v".parse::<Path>().unwrap_err().to_string();
    assert_eq!(error, "path has its end at character 7, expected `]` after the value of the key");
}

#[test]
fn a_key_is_given_once() {
    let error = "/a[k=1][k=1]".parse::<Path>().unwrap_err();
    assert_eq!(error, Error::DuplicateKey { position: 9, key: "k".into() });
    assert_eq!(error.to_string(), "path gives the key `k` a second time at character 9");
}

#[test]
fn elements_that_cannot_be_written_cannot_be_made() {
    use super::element::Error;
    assert_eq!(Element::new(""), Err(Error::EmptyName));
    let a = Element::new("a").unwrap();
    assert_eq!(a.with_key("", "v"), Err(Error::EmptyKey { element: "a".into() }));
    let many = Element::new("...").unwrap();
    assert_eq!(many.with_key("k", "v"), Err(Error::KeyOnMany { key: "k".into() }));
}

#[test]
fn paths_are_taken_apart_and_put_together() {
    let p = path("/a/l[k=1]/x");
    assert_eq!(p.parent(), Some(path("/a/l[k=1]")));
    assert_eq!(Path::root().parent(), None);
    assert_eq!(p.ancestors().collect::<Vec<_>>(), [path("/a/l[k=1]"), path("/a"), path("/")]);
    assert_eq!(path("/a").child(element("b", &[])), path("/a/b"));
    assert_eq!(path("/a").join(&path("/b/c")), path("/a/b/c"));
    assert_eq!(p.strip_prefix(&path("/a")), Some(path("/l[k=1]/x")));
    assert_eq!(p.strip_prefix(&p), Some(Path::root()));
    assert_eq!(p.strip_prefix(&path("/a/l")), None);
    assert_eq!(path("/a/l[k=1]").list(), Some(path("/a/l")));
    assert_eq!((path("/a/l").list(), Path::root().list()), (None, None));
}

// rule: get-element-boundary
#[test]
fn prefixes_are_whole_elements() {
    assert!(!path("/system/clock").is_prefix_of(&path("/system/clock-source")));
    assert!(!path("/system/clock").covers(&path("/system/clock-source")));
    assert!(path("/a").is_prefix_of(&path("/a/b")));
    assert!(path("/a").is_prefix_of(&path("/a")));
    assert!(!path("/a/b").is_prefix_of(&path("/a")));
    assert!(!path("/l").is_prefix_of(&path("/l[k=1]")));
}

#[test]
fn a_list_covers_its_entries() {
    assert!(path("/l").covers(&path("/l[k=1]/x")));
    assert!(path("/l/x").covers(&path("/l[k=1]/x/y")));
    assert!(path("/l[k=1]").covers(&path("/l[j=2][k=1]")));
    assert!(!path("/l[k=1]").covers(&path("/l[k=2]")));
    assert!(!path("/l[k=1]").covers(&path("/l")));
    assert!(Path::root().covers(&path("/a")));
}

#[test]
fn entries_follow_their_list() {
    let mut paths = ["/l[k=1]/x", "/la", "/l", "/l[k=1]", "/k/z", "/l[k=0]", "/l-1"].map(path);
    paths.sort();
    let sorted = ["/k/z", "/l", "/l[k=0]", "/l[k=1]", "/l[k=1]/x", "/l-1", "/la"].map(path);
    assert_eq!(paths, sorted);
}

#[test]
fn wildcards_match() {
    for (pattern, matching, other) in [
        ("/a/*/c", "/a/b/c", "/a/b/b/c"),
        ("/a/*", "/a/l[k=1]", "/a"),
        ("/l[k=*]/x", "/l[k=1]/x", "/l[j=1]/x"),
        ("/l/x", "/l[k=1]/x", "/l[k=1]/y"),
        ("/*[k=1]", "/l[k=1]", "/l[k=2]"),
        ("/a/.../c", "/a/c", "/a/b"),
        ("/a/.../c", "/a/b/c/d/c", "/b/c"),
        ("/a/...", "/a", "/b"),
        ("/*/...", "/a/b/c", "/"),
        ("/.../a/.../b", "/x/a/b/c/b", "/x/b/a"),
    ] {
        assert!(path(matching).matches(&path(pattern)), "{matching} {pattern}");
        assert!(pattern == "/..." || !path(other).matches(&path(pattern)), "{other} {pattern}");
    }
}

#[test]
fn patterns_are_known_and_cover_subtrees() {
    for pattern in ["/*", "/a/...", "/l[k=*]"] {
        assert!(path(pattern).is_pattern());
    }
    for plain in ["/", "/l", "/l[k=**]", "/...a"] {
        assert!(!path(plain).is_pattern());
    }
    assert!(path("/l[k=*]").covers(&path("/l[k=1]/x")));
    assert!(path("/.../x").covers(&path("/a/x/y/z")));
    assert!(!path("/.../x").covers(&path("/a/y")));
    assert!(!path("/*/x").covers(&path("/x")));
}

#[test]
fn a_path_is_text_in_json() {
    let p = path(r"/l[k=\]]/x");
    let json = serde_json::to_string(&p).unwrap();
    assert_eq!(json, r#""/l[k=\\]]/x""#);
    assert_eq!(serde_json::from_str::<Path>(&json).unwrap(), p);
    let error = serde_json::from_str::<Path>("\"/a[\"").unwrap_err().to_string();
    assert!(error.contains("\"/a[\": path has its end at character 4"), "{error}");
}
