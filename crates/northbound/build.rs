//! Puts the page and the documentation into the binary: writes a table of their files, which `src/http/page.rs` reads.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// What the documentation leads to and lies elsewhere, served under the same names.
const BESIDE: [&str; 5] = [
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "packaging/README.md",
    "packaging/alerts.yaml",
    "spec/README.md",
];

fn main() -> io::Result<()> {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let sources = here.join("../..").canonicalize()?;
    let page = all_in(&sources.join("web/page"))?;
    let mut docs = all_in(&sources.join("docs"))?;
    docs.extend(BESIDE.map(|name| (name.to_owned(), sources.join(name))));
    let mut text = String::new();
    for (name, mut files) in [("PAGE", page), ("DOCS", docs)] {
        files.sort();
        let _ = writeln!(text, "pub(super) static {name}: &[(&str, &[u8])] = &[");
        for (inside, file) in &files {
            let _ =
                writeln!(text, "    ({inside:?}, include_bytes!({:?})),", file.to_string_lossy());
        }
        text.push_str("];\n");
    }
    for name in ["web/page", "docs"].iter().chain(&BESIDE) {
        println!("cargo:rerun-if-changed=../../{name}");
    }
    fs::write(out.join("files.rs"), text)
}

/// The files in a folder, by their names in it.
fn all_in(root: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let mut files = Vec::new();
    gather(root, &mut files)?;
    let named = |file: PathBuf| {
        let inside = file.strip_prefix(root).unwrap_or(&file);
        (inside.to_string_lossy().replace('\\', "/"), file)
    };
    Ok(files.into_iter().map(named).collect())
}

/// Every file in a folder, but those whose name begins with a dot.
fn gather(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        match entry.file_type()?.is_dir() {
            _ if hidden => {}
            true => gather(&entry.path(), files)?,
            false => files.push(entry.path()),
        }
    }
    Ok(())
}
