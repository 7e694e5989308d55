//! The seam to libyang: hearing every error it has, and text in and out of it.
//!
//! libyang keeps only the last error of a call. It also logs each one as it finds it, on the thread
//! that made the call; so whoever wants all of them listens while the call runs.

mod asides;

use std::borrow::Cow;
use std::cell::RefCell;

use serde_json::Value as Json;
use yang5::context::{Context, ContextFlags};
use yang5::data::{
    Data, DataFormat, DataParserFlags, DataPrinterFlags, DataTree, DataValidationFlags,
};
use yang5::ffi;
use yang5::logging::LogCallback;

pub(crate) use asides::without_asides;

/// One error in libyang's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Heard {
    pub(crate) message: String,
    /// In the data, as libyang writes paths.
    pub(crate) data_path: Option<String>,
    /// In the models.
    pub(crate) schema_path: Option<String>,
    /// In what was read.
    pub(crate) line: Option<usize>,
    /// The error-app-tag. Only that of the last error of a call is known.
    pub(crate) app_tag: Option<String>,
}

thread_local! {
    static HEARD: RefCell<Option<Vec<Heard>>> = const { RefCell::new(None) };
}

/// What libyang puts before what it says of OpenConfig's posix patterns.
const PLUGIN: &str = "Ext plugin \"ly2 OpenConfig\": ";

struct Ear;

impl LogCallback for Ear {
    fn log<'a>(
        &'a self,
        level: ffi::LY_LOG_LEVEL::Type,
        message: Option<Cow<'a, str>>,
        data_path: Option<Cow<'a, str>>,
        schema_path: Option<Cow<'a, str>>,
        line: u64,
    ) {
        let message = message.unwrap_or_default();
        if level != ffi::LY_LOG_LEVEL::LY_LLERR {
            tracing::debug!(?data_path, ?schema_path, "libyang: {message}");
            return;
        }
        let message = message.strip_prefix(PLUGIN).unwrap_or(&message);
        let heard = Heard {
            message: message.to_owned(),
            data_path: data_path.map(Cow::into_owned),
            schema_path: schema_path.map(Cow::into_owned),
            line: usize::try_from(line).ok().filter(|line| *line > 0),
            app_tag: None,
        };
        HEARD.with_borrow_mut(|list| {
            if let Some(list) = list {
                list.push(heard);
            }
        });
    }
}

/// Does some work with libyang, and gives back every error that it met.
fn listen<T>(work: impl FnOnce() -> Result<T, yang5::Error>) -> Result<T, Vec<Heard>> {
    HEARD.set(Some(Vec::new()));
    let result = work();
    let mut heard = HEARD.take().unwrap_or_default();
    result.map_err(|error| {
        if heard.is_empty() {
            let (message, data_path) = (error.to_string(), error.path.clone());
            let (schema_path, line, app_tag) = (None, None, None);
            heard.push(Heard { message, data_path, schema_path, line, app_tag });
        }
        let last = heard.last_mut().filter(|last| error.msg.as_ref() == Some(&last.message));
        if let Some(last) = last {
            last.app_tag = error.apptag;
        }
        heard
    })
}

/// An empty context, set up as all of ours are.
pub(crate) fn context() -> Result<Context, Vec<Heard>> {
    let flags = ContextFlags::NO_YANGLIBRARY
        | ContextFlags::REF_IMPLEMENTED
        | ContextFlags::DISABLE_SEARCHDIR_CWD;
    let context = listen(|| Context::new(flags))?;
    // One for the process: a second one is refused, and it would do the same.
    let _ = context.init_logger(Ear);
    Ok(context)
}

/// Changes a context, with every error told.
pub(crate) fn change<T>(
    context: &mut Context,
    work: impl FnOnce(&mut Context) -> Result<T, yang5::Error>,
) -> Result<T, Vec<Heard>> {
    listen(|| work(context))
}

/// Adds a module that is given as text.
pub(crate) fn add_module(context: &Context, text: &str) -> Result<(), Vec<Heard>> {
    use yang5::schema::{SchemaInputFormat, SchemaModule};
    listen(|| SchemaModule::parse_string(context, text, SchemaInputFormat::YANG)).map(drop)
}

/// Go on after an error, to find the others as well. The binding has no name for it.
fn every_error(flags: DataValidationFlags) -> DataValidationFlags {
    DataValidationFlags::from_bits_retain(flags.bits() | ffi::LYD_VALIDATE_MULTI_ERROR)
}

fn parse<'a>(context: &'a Context, json: &str) -> Result<DataTree<'a>, yang5::Error> {
    let parser = DataParserFlags::NO_VALIDATION | DataParserFlags::STRICT;
    let every = every_error(DataValidationFlags::empty());
    DataTree::parse_string(context, json, DataFormat::JSON, parser, every)
}

fn print(tree: &DataTree<'_>, flags: DataPrinterFlags) -> Result<String, yang5::Error> {
    // Nothing to print makes libyang print nothing at all, which is no JSON.
    if tree.reference().is_none() {
        return Ok("{}".to_owned());
    }
    let flags = flags | DataPrinterFlags::WITH_SIBLINGS | DataPrinterFlags::SHRINK;
    tree.print_string(DataFormat::JSON, flags)
}

/// The same data with every value in its canonical form. Nothing is checked across values.
pub(crate) fn canonical(context: &Context, json: &str) -> Result<Json, Vec<Heard>> {
    let text = listen(|| print(&parse(context, json)?, DataPrinterFlags::empty()))?;
    Ok(read(&text))
}

/// The same data with everything that is there by default.
///
/// As validation fills it in, up to the rules that are for complete data: a module's defaults first,
/// then their conditions. libyang's own way to add defaults (`lyd_new_implicit_all`) reads the
/// conditions at the top before it fills the containers that it made there, so that what it says of a
/// default depends on whether anything is set in a container beside it.
pub(crate) fn with_defaults(context: &Context, json: &str) -> Result<Json, Vec<Heard>> {
    let text = listen(|| {
        let mut tree = parse(context, json)?;
        // A part need not be valid, and whether it is was not asked.
        let _ = tree.validate(every_error(not_final(DataValidationFlags::NO_STATE)));
        print(&tree, DataPrinterFlags::WD_ALL)
    })?;
    Ok(read(&text))
}

/// Leave out what needs all data to be there. The binding has no name for this one either.
fn not_final(flags: DataValidationFlags) -> DataValidationFlags {
    DataValidationFlags::from_bits_retain(flags.bits() | ffi::LYD_VALIDATE_NOT_FINAL)
}

/// Why data is not valid.
#[derive(Debug)]
pub(crate) enum Invalid {
    /// Some values are not of their types. Where they stand is not told reliably: an entry that
    /// is still being read has no place yet.
    Values(Vec<Heard>),
    /// Some rules between values are broken.
    Rules(Vec<Heard>),
}

/// Which modules are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// All, for what is there by default, or missing.
    All,
    /// Those that there is data of.
    Present,
}

/// Checks data as a whole, by every rule of the models.
pub(crate) fn validate(context: &Context, json: &str, reach: Reach) -> Result<(), Invalid> {
    let mut tree = listen(|| parse(context, json)).map_err(Invalid::Values)?;
    let flags = match reach {
        Reach::All => DataValidationFlags::NO_STATE,
        Reach::Present => DataValidationFlags::NO_STATE | DataValidationFlags::PRESENT,
    };
    let flags = every_error(flags);
    listen(|| tree.validate(flags)).map_err(Invalid::Rules)
}

/// What libyang printed is JSON; an empty object stands for what could not be.
fn read(text: &str) -> Json {
    serde_json::from_str(text).unwrap_or_else(|error| {
        tracing::error!(%error, "libyang printed what is not JSON");
        Json::Object(serde_json::Map::new())
    })
}
