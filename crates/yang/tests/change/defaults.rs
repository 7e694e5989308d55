//! What is shown of a configuration, held against what libyang makes of the whole.

use std::collections::BTreeMap;
use std::path::Path as Folder;

use lockstep_types::{Configuration, Content, Delta, Path};
use lockstep_yang::{Data, DataForm, Form, ModelSet, Show};
use serde_json::{Value as Json, json};
use yang5::context::{Context, ContextFlags};
use yang5::data::{
    Data as _, DataFormat, DataParserFlags, DataPrinterFlags, DataTree, DataValidationFlags,
};

/// The same models, in libyang's own hands.
pub(crate) fn context(folder: &Folder, modules: &[&str]) -> Context {
    let mut context = Context::new(ContextFlags::REF_IMPLEMENTED).unwrap();
    context.set_searchdir(folder).unwrap();
    let list: Vec<(&str, Option<&str>, &[&str])> =
        modules.iter().map(|name| (*name, None, &[][..])).collect();
    context.load_modules(&list).unwrap();
    context
}

/// Leaves and leaf-lists.
fn leaves(tree: &Configuration) -> BTreeMap<Path, Content> {
    let is_leaf = |content: &Content| matches!(content, Content::Leaf(_) | Content::LeafList(_));
    let leaves = tree.iter().filter(|(_, content)| is_leaf(content));
    leaves.map(|(path, content)| (path.clone(), content.clone())).collect()
}

/// What is shown is what libyang makes of the whole, and of each part what the whole has there.
pub(crate) fn judge(
    set: &ModelSet,
    context: &Context,
    tree: &Configuration,
    hint: &dyn Fn() -> String,
) {
    let whole = set.with_defaults(tree);
    let root = Path::root();
    let plain = Show { defaults: false, ..Show::from(Form::Ietf) };
    let found = set.get(tree, &root, plain).unwrap();
    let json = found.into_iter().next().map_or_else(|| json!({}), |(_, json)| json);
    let data = Data { form: DataForm::Ietf, json: filled(context, &json) };
    let theirs = set.read(&root, &data).unwrap().units;
    assert_eq!(leaves(&whole), leaves(&theirs), "of {tree:#?}\n{}", hint());
    for path in tree.iter().flat_map(|(path, _)| path.ancestors()).filter(|path| is_in(tree, path))
    {
        let shown = |tree| set.get(tree, &path, Form::Ietf).unwrap();
        assert_eq!(shown(tree), shown(&whole), "{path} of {tree:#?}\n{}", hint());
    }
}

/// What a change is told to make of leaves is what it makes of the whole.
pub(crate) fn told(
    set: &ModelSet,
    before: &Configuration,
    after: &Configuration,
    hint: &dyn Fn() -> String,
) {
    let (was, is) = (set.with_defaults(before), set.with_defaults(after));
    let seen = |path: &Path| [&was, &is].into_iter().find_map(|tree| tree.get(path));
    let leafy = |path: &Path| {
        let other = |content: &Content| matches!(content, Content::Entry | Content::Order(_));
        seen(path).is_some_and(|content| !other(content))
    };
    let whole: Delta = was.diff(&is).into_iter().filter(|(path, _)| leafy(path)).collect();
    let differs = before.diff(after);
    let told = set.changes(before, after, differs.paths());
    let told: Delta = told.into_iter().filter(|(path, _)| leafy(path)).collect();
    assert_eq!(told, whole, "{differs:#?}\nof {before:#?}\n{}", hint());
    let each = set.leaves(after, &Path::root()).unwrap();
    let each: BTreeMap<Path, Content> = each.into_iter().filter(|(at, _)| leafy(at)).collect();
    let all: BTreeMap<_, _> = is.iter().filter(|(path, _)| leafy(path)).collect();
    assert!(each.iter().eq(all), "{each:#?}\nof {after:#?}\n{}", hint());
}

/// Whether every entry on the way is there. A change made at random may leave the order of a list whose
/// entry is gone, and nobody can ask for what is in that.
fn is_in(tree: &Configuration, path: &Path) -> bool {
    let way = path.ancestors().chain([path.clone()]);
    let mut entries = way.filter(|at| at.last().is_some_and(|last| !last.keys().is_empty()));
    entries.all(|entry| tree.get(&entry).is_some())
}

/// Validation fills in what is there by default. (`lyd_new_implicit_all` goes through the same data in
/// another order, and is at odds with it.)
fn filled(context: &Context, json: &Json) -> Json {
    let (parser, every) = (DataParserFlags::NO_VALIDATION, DataValidationFlags::empty());
    let text = json.to_string();
    let mut tree = DataTree::parse_string(context, &text, DataFormat::JSON, parser, every).unwrap();
    tree.validate(DataValidationFlags::NO_STATE).unwrap();
    if tree.reference().is_none() {
        return json!({});
    }
    let flags = DataPrinterFlags::WITH_SIBLINGS | DataPrinterFlags::WD_ALL;
    serde_json::from_str(&tree.print_string(DataFormat::JSON, flags).unwrap()).unwrap()
}
