//! What a device holds, on disk.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use lockstep_types::Configuration;
use lockstep_yang::ModelSet;
use tracing::error;

use crate::Error;

/// The file of one device. The default is none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Saved(Option<PathBuf>);

impl Saved {
    /// The file of a device, counted from 1, in a folder.
    pub(crate) fn new(folder: Option<&Path>, number: usize) -> Self {
        Self(folder.map(|folder| folder.join(format!("device-{number}.json"))))
    }

    /// What was saved; nothing if nothing was.
    pub(super) fn load(&self, models: &ModelSet) -> Result<Configuration, Error> {
        let Some(path) = &self.0 else { return Ok(Configuration::new()) };
        let wrong = |reason: String| Error::State { path: path.clone(), reason };
        let text = match fs::read(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Configuration::new());
            }
            Err(error) => return Err(wrong(error.to_string())),
        };
        let tree = serde_json::from_slice(&text).map_err(|error| wrong(error.to_string()))?;
        match models.validate(&tree).first() {
            None => Ok(tree),
            Some(one) => {
                Err(wrong(format!("it does not fit the models: {}: {}", one.path, one.message)))
            }
        }
    }

    /// Saves it, whole or not at all. A device whose disk fails goes on without.
    pub(super) fn save(&self, configuration: &Configuration) {
        let Some(path) = &self.0 else { return };
        if let Err(error) = write(path, configuration) {
            error!(path = %path.display(), %error, "a device cannot save what it holds");
        }
    }
}

fn write(path: &Path, configuration: &Configuration) -> io::Result<()> {
    let beside = path.with_extension("new");
    let mut file = File::create(&beside)?;
    file.write_all(&serde_json::to_vec(configuration)?)?;
    file.sync_all()?;
    fs::rename(beside, path)
}
