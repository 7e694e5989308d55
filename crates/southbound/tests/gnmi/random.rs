//! Random configurations: from any of them to any other in one Set, and read back as it was.
//!
//! The simulator has its own hand in what a Set means, so the two are held against each other.

use lockstep_protocol::Ask;
use lockstep_simulator::{Options, Simulator};
use lockstep_southbound::gnmi::{Encoding, Options as Reach};
use lockstep_types::{Configuration, Content, Keys, Path};

use crate::support::{World, accepted, load_shapes, options, path};

const ROUNDS: u64 = 60;

/// Numbers that look random and are the same in each run.
struct Dice(u64);

impl Dice {
    fn throw(&mut self, sides: usize) -> usize {
        // Knuth's multiplier; the upper bits are the good ones.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }

    fn chance(&mut self) -> bool {
        self.throw(2) == 0
    }

    fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.throw(words.len())]
    }

    /// Some of the words, in any order.
    fn some<'a>(&mut self, words: &[&'a str]) -> Vec<&'a str> {
        let mut left = words.to_vec();
        let mut taken = Vec::new();
        while !left.is_empty() && self.throw(4) != 0 {
            taken.push(left.remove(self.throw(left.len())));
        }
        taken
    }
}

const WORDS: [&str; 5] = ["a", "b/c", "d]e", "*f", "g h"];

/// A random configuration of the shapes.
fn shapes(dice: &mut Dice) -> Configuration {
    let mut units: Vec<(Path, Content)> = Vec::new();
    let mut set = |at: String, content: Content| units.push((path(&at), content));
    for leaf in ["text", "plain/inner"] {
        if dice.chance() {
            set(format!("/top/{leaf}"), Content::leaf(dice.pick(&WORDS)));
        }
    }
    if dice.chance() {
        set("/top/count".into(), Content::leaf(u64::MAX - dice.throw(3) as u64));
    }
    let mut tags = dice.some(&WORDS);
    tags.sort_unstable();
    if !tags.is_empty() {
        set("/top/tag".into(), Content::leaf_list(tags));
    }
    if dice.chance() {
        set("/top/presence".into(), Content::Presence);
        if dice.chance() {
            set("/top/presence/inner".into(), Content::leaf(dice.pick(&WORDS)));
        }
    }
    pairs(dice, &mut set);
    rules(dice, &mut set);
    units.into_iter().collect()
}

fn pairs(dice: &mut Dice, set: &mut impl FnMut(String, Content)) {
    for one in dice.some(&["a", "b/c", "x=y"]) {
        let pair = format!("/top/pair[one={one}][two={}]", dice.throw(3));
        set(pair.clone(), Content::Entry);
        if dice.chance() {
            set(format!("{pair}/text"), Content::leaf(dice.pick(&WORDS)));
        }
        for part in dice.some(&["p", "q"]) {
            set(format!("{pair}/part[id={part}]"), Content::Entry);
        }
    }
}

fn rules(dice: &mut Dice, set: &mut impl FnMut(String, Content)) {
    let names = dice.some(&["r1", "r2", "r3", "r4", "r5"]);
    for name in &names {
        set(format!("/top/rule[name={name}]"), Content::Entry);
        if dice.chance() {
            set(format!("/top/rule[name={name}]/action"), Content::leaf(dice.pick(&WORDS)));
        }
        if dice.chance() {
            let ports = (0..=dice.throw(2) as u64).map(|port| port + 80);
            set(format!("/top/rule[name={name}]/port"), Content::leaf_list(ports));
        }
    }
    if !names.is_empty() {
        let keys = |name: &&str| Keys::from([("name".to_owned(), (*name).to_owned())]);
        set("/top/rule".into(), Content::Order(names.iter().map(keys).collect()));
    }
}

async fn walk(seed: u64, encoding: Encoding) {
    let models = load_shapes();
    let listen = ([127, 0, 0, 1], 0).into();
    let simulator = Simulator::start(Options { models: models.clone(), listen, count: 1 }).unwrap();
    let device = simulator.device(0).unwrap();
    let reach = Reach { encoding: Some(encoding), ..options(device.address()) };
    let mut world = World::start_with(reach, models);
    world.expect_connected().await;
    let mut dice = Dice(seed);
    let mut stands = Configuration::new();
    for round in 0..ROUNDS {
        let wanted = shapes(&mut dice);
        accepted(world.ask(Ask::Set(stands.diff(&wanted))).await);
        let holds = device.configuration();
        assert!(holds.same_values(&wanted), "{round}: {holds:?} is not {wanted:?}");
        world.assert_holds(&wanted).await;
        stands = wanted;
    }
}

#[tokio::test]
async fn from_any_configuration_to_any_other() {
    walk(1, Encoding::JsonIetf).await;
}

#[tokio::test]
async fn from_any_configuration_to_any_other_in_plain_json() {
    walk(2, Encoding::Json).await;
}
