//! Puts the page and the documentation into the binary: writes a table of their files, which `src/http/page.rs` reads.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let mut text = String::new();
    for (name, folder) in [("PAGE", "../../web/page"), ("DOCS", "../../docs")] {
        println!("cargo:rerun-if-changed={folder}");
        let root = here.join(folder).canonicalize()?;
        let mut files = Vec::new();
        gather(&root, &mut files)?;
        files.sort();
        let _ = writeln!(text, "pub(super) static {name}: &[(&str, &[u8])] = &[");
        for file in &files {
            let inside =
                file.strip_prefix(&root).unwrap_or(file).to_string_lossy().replace('\\', "/");
            let _ =
                writeln!(text, "    ({inside:?}, include_bytes!({:?})),", file.to_string_lossy());
        }
        text.push_str("];\n");
    }
    fs::write(out.join("files.rs"), text)
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
