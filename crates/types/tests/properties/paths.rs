//! Paths and their text.

use lockstep_types::{Element, Map, Path};
use proptest::collection::vec;
use proptest::prelude::{prop_assert, prop_assert_eq, prop_oneof, proptest};

use crate::inputs::{few_paths, nasty_path, nasty_text};

proptest! {
    /// What is printed reads as the same path, on one line.
    #[test]
    fn parse_undoes_print(path in nasty_path()) {
        let text = path.to_string();
        prop_assert!(!text.chars().any(char::is_control), "{:?}", text);
        prop_assert_eq!(text.parse::<Path>(), Ok(path));
    }

    /// Whatever is read prints as something that reads the same, and nothing panics.
    #[test]
    fn print_undoes_parse(text in nasty_text()) {
        if let Ok(path) = text.parse::<Path>() {
            prop_assert_eq!(path.to_string().parse::<Path>(), Ok(path));
        }
    }

    /// Any text can be the value of a key.
    #[test]
    fn a_key_may_have_any_value(value in nasty_text()) {
        let path = Path::new([Element::new("l").unwrap().with_key("k", &value).unwrap()]);
        let read: Path = path.to_string().parse().unwrap();
        prop_assert_eq!(read.last().and_then(|last| last.key("k")), Some(value.as_str()));
    }

    /// Joining and stripping are inverse, and prefixes are exactly what can be stripped.
    #[test]
    fn strip_undoes_join(above in few_paths(), below in few_paths()) {
        let joined = above.join(&below);
        prop_assert_eq!(joined.strip_prefix(&above), Some(below.clone()));
        prop_assert_eq!(below.strip_prefix(&above).is_some(), above.is_prefix_of(&below));
        prop_assert!(joined.ancestors().all(|ancestor| ancestor.is_prefix_of(&joined)));
        prop_assert!(!above.is_prefix_of(&below) || above.covers(&below));
    }

    /// Paths that are read together are the same as if each was read alone, in any order and with any
    /// text among them.
    #[test]
    fn read_together_or_alone(
        paths in vec(prop_oneof![few_paths(), nasty_path()], 0..6),
        texts in vec(nasty_text(), 0..3),
    ) {
        let texts = paths.iter().map(ToString::to_string).chain(texts);
        let texts: Vec<String> = texts.collect();
        let alone: Result<Vec<Path>, _> = texts.iter().map(|text| text.parse::<Path>()).collect();
        let json = |text: &String| format!("{}:0", serde_json::to_string(text).unwrap());
        let json = format!("{{{}}}", texts.iter().map(json).collect::<Vec<_>>().join(","));
        let together = serde_json::from_str::<Map<Path, u8>>(&json);
        match alone {
            Err(_) => prop_assert!(together.is_err()),
            Ok(alone) => {
                let once: Map<Path, u8> = alone.iter().map(|path| (path.clone(), 0)).collect();
                prop_assert_eq!(together.is_ok(), once.len() == alone.len());
                prop_assert!(together.map_or(true, |together| together == once));
            }
        }
    }
}
