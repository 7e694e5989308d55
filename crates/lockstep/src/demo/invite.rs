//! What to do with the network once the tour is over.

use std::path::Path;

use super::network::{LISTEN, Network};
use super::tell::Teller;
use crate::cli::Failed;

/// Says where the page is, and three commands that work as they stand, in any terminal of this machine.
pub(super) fn invite(network: &Network, teller: &Teller) -> Result<(), Failed> {
    teller.blank()?;
    teller.title("Yours to try")?;
    teller.prose("It stays up. Ctrl-C ends it, and nothing is left behind.")?;
    teller.blank()?;
    if let Some(http) = network.http() {
        teller.plain(&format!("The page:  http://{http}/"))?;
        teller.blank()?;
    }
    teller.plain("From another terminal:")?;
    for command in commands(network) {
        teller.typed(&command)?;
    }
    Ok(())
}

fn commands(network: &Network) -> [String; 3] {
    let lockstep = called();
    let server = match network.address() {
        usual if usual == LISTEN => String::new(),
        other => format!(" --server {other}"),
    };
    [
        format!("{lockstep}{server} --insecure target list"),
        format!("{lockstep}{server} --insecure set leaf1 --update /system/motd=hello"),
        format!("{lockstep} sim restart {}", network.device("leaf1")),
    ]
}

/// How this program is called from anywhere: by its name, where a shell finds it by that.
fn called() -> String {
    let Ok(this) = std::env::current_exe() else { return "lockstep".to_owned() };
    let path = std::env::var_os("PATH").unwrap_or_default();
    let first =
        std::env::split_paths(&path).map(|folder| folder.join("lockstep")).find(|f| f.is_file());
    if first.and_then(|found| found.canonicalize().ok()).is_some_and(|found| found == this) {
        return "lockstep".to_owned();
    }
    quoted(&this)
}

/// A path as a shell takes it.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+".contains(letter);
    if text.chars().all(plain) { text } else { format!("'{}'", text.replace('\'', "'\\''")) }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::quoted;

    #[test]
    fn a_shell_takes_a_path_as_one_word() {
        assert_eq!(quoted(Path::new("/opt/lockstep-1.0/lockstep")), "/opt/lockstep-1.0/lockstep");
        assert_eq!(quoted(Path::new("/my things/it's")), "'/my things/it'\\''s'");
    }
}
