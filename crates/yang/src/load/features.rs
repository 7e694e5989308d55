//! Which features are on.

use crate::error::LoadError;

/// The features of each of the modules, in the form libyang takes.
pub(super) fn by_module<'a>(
    modules: &[String],
    features: &'a [String],
) -> Result<Vec<Vec<&'a str>>, LoadError> {
    let mut enabled = vec![Vec::new(); modules.len()];
    for feature in features {
        if feature == "*" {
            enabled.iter_mut().for_each(|list| list.push("*"));
            continue;
        }
        let unknown = || LoadError::Feature { feature: feature.clone() };
        let parts = feature.split_once(':').filter(|(_, name)| !name.contains('\0'));
        let (module, name) = parts.ok_or_else(unknown)?;
        let place = modules.iter().position(|known| known == module).ok_or_else(unknown)?;
        if let Some(list) = enabled.get_mut(place) {
            list.push(name);
        }
    }
    // libyang takes `*` alone.
    for list in enabled.iter_mut().filter(|list| list.contains(&"*")) {
        *list = vec!["*"];
    }
    Ok(enabled)
}
