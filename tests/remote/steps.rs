//! Tokens for steps.

use std::thread;

use swarmarium_formats::standard::FromScene as _;
use swarmarium_simulation::Simulation;
use swarmarium_simulation::edit::log::Replay;

use super::{Client, in_lock_step, serve};

fn stepped(step: u64) -> String {
    format!("stepped {step} {:?}", step as f64 * 0.05)
}

#[test]
fn a_sync_token_is_a_step_and_is_acknowledged() {
    let served = serve(in_lock_step(1), 1.0);
    let mut client = Client::of(served.sync.unwrap());
    let mut services = served.client();
    assert_eq!(client.ask("step"), stepped(1));
    assert_eq!(client.ask("step 4"), stepped(5));
    assert!(services.ask("1 time mode").starts_with("1 SUCCESS"), "requests are answered while nothing goes on");
    client.say("st");
    client.say("ep\nstep 2\n");
    assert_eq!([client.line(), client.line()].map(|line| line.split(' ').nth(1).unwrap().to_owned()), ["6", "8"]);
    assert!(client.ask("step 0").starts_with("failed "));
    assert!(client.ask("step 1 {\"nobody\": {}}").contains("there is no component `nobody`"));
    assert_eq!(client.ask("step 1 {\"m.vw\": {\"v\": 1.0, \"w\": 0.0}}").split(' ').nth(1), Some("9"));
    assert_eq!(served.end().steps, 9);
}

#[test]
fn any_other_sync_message_is_a_step_as_in_morse() {
    let served = serve(in_lock_step(1), 1.0);
    let mut all = Client::of(served.all);
    let mut client = Client::of(served.sync.unwrap());
    client.say("foo");
    assert!(all.line().starts_with("{\"step\": 1, "));
    client.say("sync");
    assert!(all.line().starts_with("{\"step\": 2, "));
    let after = served.end();
    assert_eq!(after.steps, 2);
}

#[test]
fn time_advances_by_itself_without_sync_clients() {
    let served = serve(in_lock_step(0), 10.0);
    let mut all = Client::of(served.all);
    all.line();
    let mut client = Client::of(served.sync.unwrap());
    assert!(client.ask("step").starts_with("stepped "));
    drop(client);
    for _ in 0..50 {
        all.line();
    }
}

/// Two clients allow 10,000 steps in pieces of their own, and lead a robot each. The run is that of a simulation without
/// sockets that is given the same edits.
#[test]
fn two_clients_in_lock_step_give_the_same_run_as_none() {
    const STEPS: u64 = 10_000;
    let served = serve(in_lock_step(2), 1.0);
    let port = served.sync.unwrap();
    let lead = |robot: &'static str, piece: u64| {
        thread::spawn(move || {
            let mut client = Client::of(port);
            let mut done = 0;
            while done < STEPS {
                let (v, w) = ((done % 7) as f64 / 8.0, (done % 5) as f64 / 4.0 - 0.5);
                let token = format!("step {piece} {{\"{robot}.vw\": {{\"v\": {v:?}, \"w\": {w:?}}}}}");
                done += piece;
                assert_eq!(client.ask(&token).split(' ').nth(1), Some(done.to_string().as_str()));
            }
            client
        })
    };
    let clients = [lead("m", 10), lead("m_001", 1)].map(|client| client.join().unwrap());
    let after = served.end();
    drop(clients);
    assert_eq!(after.steps, STEPS);
    let mut plain = Simulation::new(&in_lock_step(2)).unwrap();
    let mut edits = Replay::new(after.edits);
    for step in 1..=STEPS {
        for logged in edits.due(step) {
            plain.replay(logged).unwrap();
        }
        plain.step(1);
    }
    assert_eq!(plain.hash().0, after.hash);
}

/// Which of two clients is faster changes nothing: their edits are applied in the order of their connections.
#[test]
fn edits_are_applied_in_the_order_of_clients() {
    let hash = |first_late: bool| {
        let served = serve(in_lock_step(2), 1.0);
        let mut one = Client::of(served.sync.unwrap());
        let mut other = Client::of(served.sync.unwrap());
        let tokens =
            ["step 3 {\"m.vw\": {\"v\": 1.0, \"w\": 0.2}}\n", "step 3 {\"m.vw\": {\"v\": 0.5, \"w\": -0.2}}\n"];
        if first_late {
            other.say(tokens[1]);
            thread::yield_now();
            one.say(tokens[0]);
        } else {
            one.say(tokens[0]);
            thread::yield_now();
            other.say(tokens[1]);
        }
        assert_eq!([one.line(), other.line()], [stepped(3), stepped(3)]);
        served.end().hash
    };
    assert_eq!(hash(false), hash(true));
}

/// The last message of a client counts, also when it does not wait for the answer.
#[test]
fn steps_of_a_sync_client_that_leaves_are_done() {
    let served = serve(in_lock_step(2), 1.0);
    let port = served.sync.unwrap();
    let mut stays = Client::of(port);
    let mut leaves = Client::of(port);
    leaves.say("step 2\nstep 1 {\"m.vw\": {\"v\": 1.0, \"w\": 0.0}}");
    leaves.half_close();
    assert_eq!(stays.ask("step 3"), stepped(3));
    assert_eq!([leaves.line(), leaves.line()], [stepped(2), stepped(3)]);
    assert!(leaves.is_closed());
    assert_eq!(stays.ask("step"), stepped(4), "nobody waits for it any more");
    let edits = served.end().edits;
    assert_eq!(edits.iter().map(|logged| logged.step).collect::<Vec<_>>(), [3]);
}

/// A client that left may be gone, so the steps that it allowed are bounded.
#[test]
fn a_huge_sync_token_ends_with_its_client() {
    for rest in ["\n", ""] {
        let served = serve(in_lock_step(1), 1.0);
        let port = served.sync.unwrap();
        let mut client = Client::of(port);
        assert_eq!(client.ask("step"), stepped(1));
        client.say(format!("step 1000000000000{rest}"));
        client.half_close();
        let refused = "failed \"a client that shut down its side for writing gets at most 10000 steps";
        assert!(client.line().starts_with(refused));
        assert!(client.is_closed());
        // Others find the steps as they count them.
        let before = served.client().ask("n time now");
        let mut other = Client::of(port);
        assert!(other.ask("step 3").starts_with("stepped "));
        assert!(served.client().ask("n time now") != before);
    }
}

#[test]
fn a_partial_sync_token_is_a_step_as_in_morse() {
    let served = serve(in_lock_step(1), 1.0);
    let mut all = Client::of(served.all);
    let mut client = Client::of(served.sync.unwrap());
    client.say("st");
    assert!(all.line().starts_with("{\"step\": 1, "));
    client.say("step");
    assert!(all.line().starts_with("{\"step\": 2, "));
}
