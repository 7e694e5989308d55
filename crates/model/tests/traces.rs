//! Traces of the model's own runs are good; each way of damaging one is found where it was done.

use std::sync::Arc;

use lockstep_model::scenario::catalogue;
use lockstep_model::trace::check;
use lockstep_model::trace::line::Line;
use lockstep_model::walk::walk;

fn text(lines: &[Line]) -> String {
    lines.iter().map(|line| serde_json::to_string(line).unwrap() + "\n").collect()
}

#[test]
fn walks_are_good() {
    let mut lines = 0;
    for scenario in catalogue() {
        for seed in 0..20 {
            let walk = walk(&Arc::clone(&scenario), seed, 200);
            assert!(walk.broken.is_empty());
            let text = text(&walk.lines);
            let report = check(text.as_bytes());
            match report {
                Ok(report) => {
                    lines += report.lines;
                    if seed == 3 {
                        println!("{} {report:?}", scenario.name);
                    }
                }
                Err(error) => panic!("{} seed {seed}: {error}", scenario.name),
            }
        }
    }
    println!("{lines}");
}
