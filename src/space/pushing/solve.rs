//! Quasi-static motion of objects that touch each other: the twists with the least work.
//!
//! The work is that against friction, `|V|` in the metric of the limit surface of each object, plus, for each robot with a
//! limited force, the force times the distance by which the object does not make way. Weights make it a quadratic
//! problem: `c (|V|² / c² + 1) / 2` equals `|V|` for `c = |V|`. Projected Gauss-Seidel sweeps over the contact forces solve
//! it, and each sweep updates the weights.

use bevy::math::DVec2;
use smallvec::SmallVec;

use super::friction::Friction;

/// A contact as a condition on the twists of one or two objects, with a force that is limited.
///
/// A contact that also pulls, such as a grasp, has a lower limit below 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contact {
    /// The object that is pushed along the normal, by its index among those of the problem.
    pub object: u32,
    /// The object that is pushed against the normal; [`NO_OBJECT`] for robots, solids and walls.
    pub other: u32,
    /// Displacement of the point of contact along the normal by the twist of each object.
    pub along: Twist,
    pub back: Twist,
    /// The displacement (m) that leaves no overlap.
    pub depth: f64,
    /// Limits of the force (N).
    pub least_n: f64,
    pub most_n: f64,
    /// The force (N).
    pub force_n: f64,
}

impl Contact {
    /// Whether it also pulls.
    fn pulls(&self) -> bool {
        self.least_n < 0.0
    }

    /// Its force without limits.
    fn any_force(&self) -> (f64, f64) {
        (if self.pulls() { f64::NEG_INFINITY } else { 0.0 }, f64::INFINITY)
    }

    /// Its limits, where the largest force of a robot without a limit depends on the friction of all objects. Solids and
    /// other objects resist with any force.
    fn limits(&self, frictions_n: f64) -> (f64, f64) {
        let cap = if self.most_n == UNLIMITED_N { UNLIMITED * frictions_n } else { f64::INFINITY };
        (self.least_n.max(-cap), self.most_n.min(cap))
    }
}

/// No object: the other side of the contact moves as it wants.
pub(super) const NO_OBJECT: u32 = u32::MAX;

/// A displacement (m) of the centroid and an angle (rad); or a force (N) and a moment (N m).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Twist {
    pub shift: DVec2,
    pub turn: f64,
}

impl Twist {
    /// The displacement along a unit vector of a point at `arm` (m) from the centroid.
    pub fn along(normal: DVec2, arm: DVec2) -> Self {
        Self { shift: normal, turn: arm.perp_dot(normal) }
    }

    fn dot(self, other: Self) -> f64 {
        self.shift.dot(other.shift) + self.turn * other.turn
    }

    fn add(&mut self, other: Self, times: f64) {
        self.shift += times * other.shift;
        self.turn += times * other.turn;
    }
}

/// An object of the problem.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sliding {
    /// Inverse squares of the largest force and moment of friction.
    compliance: (f64, f64),
    /// The sum of the contact forces.
    wrench: Twist,
    /// The weight: in the end, the work (J) against friction.
    weight: f64,
}

impl Sliding {
    pub fn new(friction: Friction) -> Self {
        let inverse = |limit: f64| 1.0 / (limit * limit);
        let compliance = (inverse(friction.force_n), inverse(friction.moment_n_m));
        Self { compliance, wrench: Twist::default(), weight: 1.0 }
    }

    /// The twist by a wrench.
    fn yields(&self, wrench: Twist) -> Twist {
        let (slide, turn) = self.compliance;
        Twist { shift: self.weight * slide * wrench.shift, turn: self.weight * turn * wrench.turn }
    }

    /// Size of the wrench: 1 on the limit surface.
    fn load(&self) -> f64 {
        let (slide, turn) = self.compliance;
        (slide * self.wrench.shift.length_squared() + turn * self.wrench.turn * self.wrench.turn).sqrt()
    }

    /// The twist.
    pub fn twist(&self) -> Twist {
        self.yields(self.wrench)
    }
}

/// Part of the largest depth to which contacts are solved.
const PRECISION: f64 = 1e-13;
/// Products of contacts and sweeps, and numbers of sweeps, after which a problem counts as solved.
const WORK: usize = 1_500;
const SWEEPS: (usize, usize) = (12, 150);
/// The force of a robot without a limit, in units of the friction of all objects of the problem.
const UNLIMITED: f64 = 4.0;
/// An object moves unless its wrench is at least this far inside its limit surface.
const STICKS: f64 = 1e-3;

/// Finds the twists of all objects. Returns whether a robot could not push as far as it wanted.
pub(super) fn solve(contacts: &mut [Contact], objects: &mut [Sliding], frictions_n: f64) -> bool {
    let way = |contact: &Contact| if contact.pulls() { contact.depth.abs() } else { contact.depth };
    let deepest = contacts.iter().map(way).fold(0.0, f64::max);
    let sweeps = (WORK / contacts.len().max(1)).clamp(SWEEPS.0, SWEEPS.1);
    let precision = PRECISION * deepest;
    // Without limits and with equal weights.
    let is_exact = match objects {
        [object] => solve_exactly(contacts, object, deepest),
        _ => false,
    };
    for _ in 0..if is_exact { 0 } else { sweeps } {
        let changed = sweep(contacts, objects, Contact::any_force);
        if changed <= precision {
            break;
        }
    }
    // Without weights yet, the load of an object is its work.
    let (least, most) = objects
        .iter()
        .map(Sliding::load)
        .fold((f64::INFINITY, 0.0_f64), |(least, most), load| (least.min(load), most.max(load)));
    let most = most.max(1e-3 * deepest * frictions_n / objects.len().max(1) as f64);
    if most <= 0.0 {
        return false;
    }
    scale(contacts, objects, most);
    let limit = |contact: &Contact| contact.limits(frictions_n);
    let is_within = |contact: &Contact| (limit(contact).0..=limit(contact).1).contains(&contact.force_n);
    let is_equal = least >= most * (1.0 - 1e-12);
    if is_equal && contacts.iter().all(is_within) {
        return false;
    }
    for _ in 0..sweeps {
        let mut changed = sweep(contacts, objects, limit);
        for object in &mut *objects {
            let load = object.load();
            let weight = (object.weight * load).max(1e-12 * most);
            // The wrench changes in the next sweep.
            changed = changed.max((weight - object.weight).abs() / most * deepest);
            object.weight = weight;
        }
        if changed <= precision {
            break;
        }
    }
    sweep(contacts, objects, limit);
    let is_held = |contact: &Contact| {
        let (least, most) = limit(contact);
        contact.force_n >= most || (contact.pulls() && contact.force_n <= least)
    };
    let any_held = contacts.iter().any(is_held);
    if any_held {
        for object in objects {
            if object.load() < 1.0 - STICKS {
                object.wrench = Twist::default();
            }
        }
    }
    any_held
}

/// Solves the conditions on one object without limits: finds the up to three contacts that hold in the solution. Returns
/// whether there is a solution.
///
/// Sweeps would need many rounds for contacts near each other.
fn solve_exactly(contacts: &mut [Contact], object: &mut Sliding, deepest: f64) -> bool {
    if contacts.len() > FEW {
        return false;
    }
    let count = contacts.len();
    let pulling: SmallVec<[usize; FEW]> = (0..count).filter(|place| contacts[*place].pulls()).collect();
    if !pulling.is_empty() {
        // They all hold.
        return pulling.len() <= 3 && try_active(contacts, object, &pulling, deepest);
    }
    for first in 0..count {
        if try_active(contacts, object, &[first], deepest) {
            return true;
        }
    }
    for first in 0..count {
        for second in first + 1..count {
            if try_active(contacts, object, &[first, second], deepest) {
                return true;
            }
        }
    }
    for first in 0..count {
        for second in first + 1..count {
            for third in second + 1..count {
                if try_active(contacts, object, &[first, second, third], deepest) {
                    return true;
                }
            }
        }
    }
    false
}

/// Number of contacts of an object up to which all sets of three are tried.
const FEW: usize = 8;

/// Sets the forces with which exactly some contacts hold, if they push and no other contact needs more.
fn try_active(contacts: &mut [Contact], object: &mut Sliding, active: &[usize], deepest: f64) -> bool {
    // Gaussian elimination; the matrix is positive definite unless contacts repeat each other.
    let mut rows = [[0.0; 4]; 3];
    let count = active.len();
    for (row, one) in rows.iter_mut().zip(active) {
        for (cell, other) in row.iter_mut().zip(active) {
            *cell = contacts[*one].along.dot(object.yields(contacts[*other].along));
        }
        row[count] = contacts[*one].depth;
    }
    for pivot in 0..count {
        let size = contacts[active[pivot]].along.dot(object.yields(contacts[active[pivot]].along));
        if rows[pivot][pivot] <= 1e-9 * size {
            return false;
        }
        let upper = rows[pivot];
        for row in &mut rows[pivot + 1..count] {
            let factor = row[pivot] / upper[pivot];
            for (cell, above) in row[pivot..=count].iter_mut().zip(&upper[pivot..=count]) {
                *cell -= factor * above;
            }
        }
    }
    let mut forces = [0.0; 3];
    for row in (0..count).rev() {
        let known: f64 = (row + 1..count).map(|cell| rows[row][cell] * forces[cell]).sum();
        forces[row] = (rows[row][count] - known) / rows[row][row];
        if forces[row] < 0.0 && !contacts[active[row]].pulls() {
            return false;
        }
    }
    let mut wrench = Twist::default();
    active.iter().zip(forces).for_each(|(contact, force)| wrench.add(contacts[*contact].along, force));
    let twist = object.yields(wrench);
    let is_enough = |contact: &Contact| {
        let more = contact.along.dot(twist) - contact.depth;
        more >= -1e-12 * deepest && (!contact.pulls() || more <= 1e-12 * deepest)
    };
    if !contacts.iter().all(is_enough) {
        return false;
    }
    object.wrench = wrench;
    active.iter().zip(forces).for_each(|(contact, force)| contacts[*contact].force_n = force);
    true
}

/// The limit of the force (N) of a robot without a limit.
pub(super) const UNLIMITED_N: f64 = f64::MAX;

/// Divides all forces by the common weight of all objects, which they get.
fn scale(contacts: &mut [Contact], objects: &mut [Sliding], weight: f64) {
    contacts.iter_mut().for_each(|contact| contact.force_n /= weight);
    for object in objects {
        object.weight = weight;
        object.wrench.shift /= weight;
        object.wrench.turn /= weight;
    }
}

/// Updates all contact forces in order. Returns the largest change of a displacement (m).
fn sweep(contacts: &mut [Contact], objects: &mut [Sliding], limit: impl Fn(&Contact) -> (f64, f64)) -> f64 {
    let mut changed = 0.0_f64;
    for contact in contacts {
        let object = &objects[contact.object as usize];
        let mut way = contact.along.dot(object.twist());
        let mut compliance = contact.along.dot(object.yields(contact.along));
        if contact.other != NO_OBJECT {
            let other = &objects[contact.other as usize];
            way += contact.back.dot(other.twist());
            compliance += contact.back.dot(other.yields(contact.back));
        }
        let (least, most) = limit(contact);
        let force = (contact.force_n + (contact.depth - way) / compliance).clamp(least, most);
        let by = force - contact.force_n;
        if by == 0.0 {
            continue;
        }
        changed = changed.max(by.abs() * compliance);
        contact.force_n = force;
        objects[contact.object as usize].wrench.add(contact.along, by);
        if contact.other != NO_OBJECT {
            objects[contact.other as usize].wrench.add(contact.back, by);
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRICTION: Friction = Friction { force_n: 2.0, moment_n_m: 0.4 };

    fn robot(arm: DVec2, normal: DVec2, depth: f64, most_n: f64) -> Contact {
        let along = Twist::along(normal, arm);
        Contact {
            object: 0,
            other: NO_OBJECT,
            along,
            back: Twist::default(),
            depth,
            least_n: 0.0,
            most_n,
            force_n: 0.0,
        }
    }

    fn solved(contacts: &[Contact]) -> (Twist, bool) {
        let mut objects = [Sliding::new(FRICTION)];
        let is_held = solve(&mut contacts.to_vec(), &mut objects, FRICTION.force_n);
        (objects[0].twist(), is_held)
    }

    #[test]
    fn one_contact_moves_an_object_along_the_normal_of_the_limit_surface() {
        let (twist, is_held) = solved(&[robot(DVec2::new(-0.2, 0.1), DVec2::X, 0.01, UNLIMITED_N)]);
        // The wrench is (p, 0, -0.1 p): the twist is proportional to (p / f², -0.1 p / m²).
        let ratio = -0.1 * 4.0 / 0.16;
        let shift = 0.01 / (1.0 - 0.1 * ratio);
        assert!((twist.shift.x - shift).abs() < 1e-15 && (twist.turn - ratio * shift).abs() < 1e-15, "{twist:?}");
        assert!(twist.shift.y == 0.0 && !is_held);
    }

    #[test]
    fn symmetric_contacts_do_not_turn_an_object() {
        for arm in [0.01, 0.1, 0.2, 0.5] {
            let pushes = [arm, -arm].map(|y| robot(DVec2::new(-0.2, y), DVec2::X, 0.01, UNLIMITED_N));
            let (twist, _) = solved(&pushes);
            assert!((twist.shift.x - 0.01).abs() < 1e-13 && twist.turn.abs() < 1e-12, "{arm}: {twist:?}");
        }
    }

    #[test]
    fn limited_robots_move_an_object_if_their_forces_exceed_its_friction() {
        for (force, moves) in [(0.9, false), (0.99, false), (1.01, true), (2.0, true)] {
            let pushes = [0.1, -0.1].map(|y| robot(DVec2::new(-0.2, y), DVec2::X, 0.01, force));
            let (twist, is_held) = solved(&pushes);
            assert_eq!(is_held, !moves);
            assert!((twist.shift.x - if moves { 0.01 } else { 0.0 }).abs() < 1e-12, "{force}: {twist:?}");
        }
        // Off the centre, less force suffices.
        let needs = 1.0 / (1.0 / 4.0 + 0.01 / 0.16_f64).sqrt();
        for (force, moves) in [(needs * 0.99, false), (needs * 1.01, true)] {
            let (twist, is_held) = solved(&[robot(DVec2::new(-0.2, 0.1), DVec2::X, 0.01, force)]);
            assert!(is_held != moves && (twist.shift.x > 0.0) == moves, "{force}: {twist:?}");
        }
    }

    #[test]
    fn equal_robots_on_both_sides_hold_an_object() {
        let pushes = [1.0, -1.0].map(|side| robot(DVec2::new(-0.2 * side, 0.0), DVec2::X * side, 0.01, UNLIMITED_N));
        let (twist, is_held) = solved(&pushes);
        assert!(is_held && twist.shift.length() < 1e-12, "{twist:?}");
    }

    #[test]
    fn a_grasp_pulls_with_its_force() {
        for (force, moves) in [(1.9, false), (2.1, true), (UNLIMITED_N, true)] {
            // The robot has moved away from the object, 1 cm along x and none along y.
            let grasp = [(DVec2::X, -0.01), (DVec2::Y, 0.0)]
                .map(|(axis, depth)| Contact { least_n: -force, ..robot(DVec2::new(-0.2, 0.0), axis, depth, force) });
            let (twist, is_held) = solved(&grasp);
            let expected = if moves { -0.01 } else { 0.0 };
            assert!((twist.shift.x - expected).abs() < 1e-12 && twist.turn.abs() < 1e-12, "{force}: {twist:?}");
            assert_eq!(is_held, !moves);
        }
    }

    #[test]
    fn a_wall_is_stronger_than_a_robot() {
        let wall = robot(DVec2::new(0.2, 0.0), DVec2::NEG_X, 0.0, f64::INFINITY);
        let (twist, is_held) = solved(&[robot(DVec2::new(-0.2, 0.0), DVec2::X, 0.01, UNLIMITED_N), wall]);
        assert!(is_held && twist.shift.length() < 1e-12, "{twist:?}");
    }

    #[test]
    fn a_chain_of_objects_moves_if_the_force_exceeds_all_frictions() {
        for (force, moves) in [(3.9, false), (4.1, true)] {
            let push = robot(DVec2::new(-0.2, 0.0), DVec2::X, 0.01, force);
            let (along, back) =
                (Twist::along(DVec2::X, DVec2::new(-0.2, 0.0)), Twist::along(DVec2::NEG_X, DVec2::new(0.2, 0.0)));
            let between = Contact { object: 1, other: 0, along, back, depth: 0.0, most_n: f64::INFINITY, ..push };
            let mut objects = [Sliding::new(FRICTION); 2];
            let is_held = solve(&mut [push, between], &mut objects, 4.0);
            assert_eq!(is_held, !moves);
            let expected = if moves { 0.01 } else { 0.0 };
            assert!(
                objects.iter().all(|object| (object.twist().shift.x - expected).abs() < 1e-9),
                "{force}: {objects:?}"
            );
        }
    }
}
