//! Floors of coloured cells: patterns, and pictures.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::id::name_hash;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_base::math;
use swarmarium_picture::palette::Role;
use swarmarium_picture::{Layer, Picture, Shape};
use swarmarium_space::{FloorGrid, Form, Rgb, Space, Thing, ThingKind};

use super::{Figure, Look, Object};
use crate::kind::{SearchWords, kind};
use crate::random::Stream;

mod runs;

pub use runs::{decode, encode};
pub(super) use runs::{from_text, to_text};

/// The largest number of cells of a floor, and of pixels of a picture.
pub const MAX_CELLS: usize = 1 << 22;
/// The largest number of cells of a floor that are drawn, along a side.
const DRAWN: usize = 128;

/// A rectangle of the floor, divided into coloured cells, which ground sensors read. Everything drives over it.
#[kind(section = "Floors", words = "ground, carpet, colour, checkered, tiles")]
pub struct Floor {
    /// Lower left corner.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    pub min_m: DVec2,
    /// Upper right corner.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    #[default(DVec2::ONE)]
    pub max_m: DVec2,
    /// Rotation about the centre, anticlockwise.
    pub turn_rad: f64,
    /// Number of cells along x.
    #[reflect(@Limits::between(1.0, MAX_CELLS as f64))]
    #[default(8)]
    pub columns: u32,
    /// Number of cells along y.
    #[reflect(@Limits::between(1.0, MAX_CELLS as f64))]
    #[default(8)]
    pub lines: u32,
    /// Colours, such as `#56b4e9` or `orange`, to which the pattern refers by their places in this list.
    #[default(vec!["#ffffff".into(), "#000000".into()])]
    pub colors: Vec<String>,
    /// Colour of each cell.
    pub pattern: Pattern,
}

/// The colours of the cells of a floor.
#[derive(Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub enum Pattern {
    /// The colours take turns along lines and columns, from the first one in the lower left corner.
    #[default]
    Checkered,
    /// The second colour has a share of the cells, at random places that follow from the seed of the scene; the first
    /// colour has the others.
    Random {
        /// Share of the cells with the second colour. Their number is exactly the nearest integer.
        #[reflect(@Limits::between(0.0, 1.0))]
        share: f64,
    },
    /// The place of the colour of each cell in the list of colours, line by line from the lower left corner.
    Cells {
        /// One number for each cell.
        cells: Vec<u32>,
    },
}

impl Floor {
    fn count(&self) -> usize {
        self.columns as usize * self.lines as usize
    }
}

/// The figure of a rectangle with these corners, turned about its centre.
fn rectangle(min_m: DVec2, max_m: DVec2, turn_rad: f64) -> Figure {
    let (center_m, half) = (min_m.midpoint(max_m), (max_m - min_m) / 2.0);
    let facing = math::direction(turn_rad);
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    let corners = corners.map(|(x, y)| center_m + facing.rotate(half * DVec2::new(x, y))).to_vec();
    Figure { what: ThingKind::Floor, center_m, forms: vec![Form::Polygon(corners)], is_solid: false }
}

/// The problem of a rectangle without an area.
fn rectangle_problem(min_m: DVec2, max_m: DVec2) -> Option<String> {
    let is_fine = min_m.cmplt(max_m).all();
    (!is_fine).then(|| "`min_m` must be below and left of `max_m`".into())
}

/// The corners and the angle of a rectangle after a shift and a turn about its centre.
fn moved_rectangle(
    (min_m, max_m, angle_rad): (DVec2, DVec2, f64),
    shift_m: DVec2,
    turn_rad: f64,
) -> (DVec2, DVec2, f64) {
    (min_m + shift_m, max_m + shift_m, math::wrap_angle(angle_rad + turn_rad))
}

/// A key for the cells of an object.
fn key_of(words: impl IntoIterator<Item = u64>) -> u64 {
    words.into_iter().fold(0, |key: u64, word| (key.rotate_left(5) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15))
}

impl Object for Floor {
    const COVERS_FLOOR: bool = true;

    fn figure(&self) -> Figure {
        rectangle(self.min_m, self.max_m, self.turn_rad)
    }

    fn moved(&self, shift_m: DVec2, turn_rad: f64) -> Self {
        let (min_m, max_m, turn_rad) = moved_rectangle((self.min_m, self.max_m, self.turn_rad), shift_m, turn_rad);
        Self { min_m, max_m, turn_rad, ..self.clone() }
    }

    fn floor_key(&self, mut draws: Stream) -> u64 {
        let colors = self.colors.iter().map(|color| name_hash(color));
        let pattern = match &self.pattern {
            Pattern::Checkered => vec![0],
            Pattern::Random { share } => vec![1, share.to_bits(), draws.unit().to_bits()],
            Pattern::Cells { cells } => std::iter::once(2).chain(cells.iter().copied().map(u64::from)).collect(),
        };
        key_of([u64::from(self.columns), u64::from(self.lines)].into_iter().chain(colors).chain(pattern))
    }

    fn floor(&self, mut draws: Stream) -> Option<FloorGrid> {
        let colors: Vec<Rgb> = self.colors.iter().filter_map(|color| Some(Role::named(color)?.seen())).collect();
        let (columns, count) = (self.columns as usize, self.count());
        if count > MAX_CELLS {
            return None;
        }
        let color = |place: usize| colors.get(place).copied();
        let cells: Option<Box<[Rgb]>> = match &self.pattern {
            Pattern::Checkered => {
                let along = |cell: usize| (cell % columns + cell / columns) % colors.len().max(1);
                (0..count).map(|cell| color(along(cell))).collect()
            }
            Pattern::Random { share } => {
                let mut cells = vec![color(0)?; count];
                let (mut wanted, second) = ((share * count as f64).round() as usize, color(1)?);
                // Each cell gets the second colour with the probability that the remaining cells need: exactly the
                // number wanted, and each choice of cells is equally likely (Knuth: "The Art of Computer Programming",
                // vol. 2, algorithm S).
                for (place, cell) in cells.iter_mut().enumerate() {
                    if draws.unit() * ((count - place) as f64) < wanted as f64 {
                        *cell = second;
                        wanted -= 1;
                    }
                }
                Some(cells.into())
            }
            Pattern::Cells { cells } => cells.iter().map(|place| color(*place as usize)).collect(),
        };
        cells.filter(|cells| cells.len() == count).map(|cells| FloorGrid { key: 0, columns, cells })
    }

    fn problem(&self) -> Option<String> {
        let (count, colors) = (self.count(), self.colors.len());
        let unknown = self.colors.iter().find(|color| Role::named(color).is_none());
        rectangle_problem(self.min_m, self.max_m)
            .or_else(|| unknown.map(|color| format!("`colors`: {}", Role::no_color(color))))
            .or_else(|| (count > MAX_CELLS).then(|| format!("at most {MAX_CELLS} cells fit in a floor, found {count}")))
            .or_else(|| match &self.pattern {
                Pattern::Checkered if colors == 0 => Some("`colors` is empty: expected at least one".into()),
                Pattern::Random { .. } if colors != 2 => {
                    Some(format!("a `Random` pattern needs two `colors`, found {colors}"))
                }
                Pattern::Cells { cells } if cells.len() != count => Some(format!(
                    "`cells` has {} numbers: expected {} × {} = {count}",
                    cells.len(),
                    self.columns,
                    self.lines
                )),
                Pattern::Cells { cells } => {
                    let wrong = cells.iter().find(|place| **place as usize >= colors);
                    wrong.map(|place| format!("`cells` has the number {place}, but there are {colors} `colors`"))
                }
                Pattern::Checkered | Pattern::Random { .. } => None,
            })
    }

    /// All floors are drawn below everything else: [`draw_all`].
    fn draw(&self, _: &Thing, _: Look, _: &mut Picture) {}
}

/// A picture on the floor, which ground sensors read. Everything drives over it.
#[kind(section = "Floors", words = "ground, image, line, picture, map")]
pub struct FloorPicture {
    /// A `.png` or `.pgm` image in the folder of the scene or below it.
    ///
    /// The file is read when the scene is opened.
    pub file: String,
    /// Lower left corner.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    pub min_m: DVec2,
    /// Upper right corner: the picture is stretched to fit.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    #[default(DVec2::ONE)]
    pub max_m: DVec2,
    /// Rotation about the centre, anticlockwise.
    pub turn_rad: f64,
    /// Number of pixels in a line of the picture.
    #[reflect(@Limits::between(0.0, MAX_CELLS as f64))]
    pub columns: u32,
    /// The picture as text. If there is any, the file is not read: a saved scene does not need it.
    ///
    /// It is in Base64 (RFC 4648) without padding: four bytes for each run of equal pixels, line by line from the lower
    /// left corner: the length of the run minus 1, then red, green and blue.
    pub pixels: String,
}

impl Object for FloorPicture {
    const COVERS_FLOOR: bool = true;

    fn figure(&self) -> Figure {
        rectangle(self.min_m, self.max_m, self.turn_rad)
    }

    fn moved(&self, shift_m: DVec2, turn_rad: f64) -> Self {
        let (min_m, max_m, turn_rad) = moved_rectangle((self.min_m, self.max_m, self.turn_rad), shift_m, turn_rad);
        Self { min_m, max_m, turn_rad, ..self.clone() }
    }

    fn floor_key(&self, _: Stream) -> u64 {
        key_of([u64::from(self.columns), name_hash(&self.pixels)])
    }

    fn floor(&self, _: Stream) -> Option<FloorGrid> {
        let cells = decode(&self.pixels, MAX_CELLS)?;
        let columns = self.columns as usize;
        let is_whole = columns > 0 && !cells.is_empty() && cells.len().is_multiple_of(columns);
        is_whole.then(|| FloorGrid { key: 0, columns, cells: cells.into() })
    }

    fn problem(&self) -> Option<String> {
        rectangle_problem(self.min_m, self.max_m).or_else(|| {
            if !self.pixels.is_empty() {
                let cells = decode(&self.pixels, MAX_CELLS);
                let is_whole = |cells: &Vec<Rgb>| {
                    !cells.is_empty() && self.columns > 0 && cells.len().is_multiple_of(self.columns as usize)
                };
                return (!cells.as_ref().is_some_and(is_whole))
                    .then(|| "`pixels` is not a picture with this number of `columns`".into());
            }
            (!self.file.is_empty()).then(|| {
                format!("`{}` was not read: pictures are read when a scene is opened from its file", self.file)
            })
        })
    }

    /// All floors are drawn below everything else: [`draw_all`].
    fn draw(&self, _: &Thing, _: Look, _: &mut Picture) {}
}

/// Draws the cells of all floors, in the order of the scene.
pub fn draw_all(space: &Space, picture: &mut Picture) {
    space.things.iter().for_each(|thing| draw(thing, picture));
}

/// Draws the cells of a floor; those that are too small to see, or too many, as larger ones.
fn draw(thing: &Thing, picture: &mut Picture) {
    let (Some(grid), Some(Form::Polygon(corners))) = (&thing.floor, thing.forms.first()) else { return };
    let &[corner, right, _, up] = corners.as_slice() else { return };
    let (along, aside) = (right - corner, up - corner);
    let shown = |count: usize, length_m: f64| {
        let pixels = (length_m * picture.pixels_per_m).ceil().clamp(1.0, DRAWN as f64) as usize;
        count.min(pixels)
    };
    let (columns, lines) = (shown(grid.columns, along.length()), shown(grid.lines(), aside.length()));
    let part = |place: usize, count: usize| place as f64 / count as f64;
    for line in 0..lines {
        let color = |column: usize| {
            let place = DVec2::new((column as f64 + 0.5) / columns as f64, (line as f64 + 0.5) / lines as f64);
            grid.at(place).unwrap_or_default()
        };
        let (low, high) = (aside * part(line, lines), aside * part(line + 1, lines));
        let mut first = 0;
        for column in 1..=columns {
            if column == columns || color(column) != color(first) {
                let (left, right) = (along * part(first, columns), along * part(column, columns));
                let cell = [left + low, right + low, right + high, left + high].map(|point| corner + point);
                picture.add(Layer::Field, Role::Own(color(first)), Shape::Polygon(cell.to_vec()));
                first = column;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use swarmarium_base::id::StableId;

    use super::*;
    use crate::random::Seed;

    fn draws(seed: u64) -> Stream {
        Seed(seed).stream(StableId::object(3), "floor")
    }

    fn cells(floor: &Floor, seed: u64) -> Vec<Rgb> {
        floor.floor(draws(seed)).map(|grid| grid.cells.to_vec()).unwrap_or_default()
    }

    const WHITE: Rgb = [255; 3];
    const BLACK: Rgb = [0; 3];

    #[test]
    fn checkered_cells_take_turns() {
        let floor = Floor { columns: 3, lines: 2, ..Floor::default() };
        assert_eq!(cells(&floor, 1), [WHITE, BLACK, WHITE, BLACK, WHITE, BLACK]);
        let three = Floor { colors: ["#ff0000", "#00ff00", "#0000ff"].map(String::from).to_vec(), ..floor };
        let [red, green, blue] = [[255, 0, 0], [0, 255, 0], [0, 0, 255]];
        assert_eq!(cells(&three, 1), [red, green, blue, green, blue, red]);
    }

    #[test]
    fn listed_cells_name_their_colours() {
        let pattern = Pattern::Cells { cells: vec![1, 0, 1] };
        let floor = Floor { columns: 3, lines: 1, pattern, ..Floor::default() };
        assert_eq!((cells(&floor, 1), floor.problem()), (vec![BLACK, WHITE, BLACK], None));
    }

    proptest! {
        #[test]
        fn random_cells_have_exactly_their_share(
            columns in 1_u32..30, lines in 1_u32..30, share in 0.0..=1.0, seed: u64,
        ) {
            let floor = Floor { columns, lines, pattern: Pattern::Random { share }, ..Floor::default() };
            let cells = cells(&floor, seed);
            let count = (columns * lines) as usize;
            prop_assert_eq!(cells.len(), count);
            let black = cells.iter().filter(|cell| **cell == BLACK).count();
            prop_assert_eq!(black, (share * count as f64).round() as usize);
        }
    }

    #[test]
    fn random_cells_follow_from_the_seed_and_are_uniform() {
        let floor = Floor { columns: 4, lines: 4, pattern: Pattern::Random { share: 0.25 }, ..Floor::default() };
        assert_eq!(cells(&floor, 1), cells(&floor, 1));
        assert_ne!(cells(&floor, 1), cells(&floor, 2));
        assert_eq!(floor.floor_key(draws(1)), floor.floor_key(draws(1)));
        assert_ne!(floor.floor_key(draws(1)), floor.floor_key(draws(2)));
        let mut black = [0_u32; 16];
        for seed in 0..4000 {
            for (count, cell) in black.iter_mut().zip(cells(&floor, seed)) {
                *count += u32::from(cell == BLACK);
            }
        }
        // Each count has the mean 1000 and a standard deviation of 27.
        assert!(black.iter().all(|count| count.abs_diff(1000) < 140), "{black:?}");
    }

    #[test]
    fn problems_name_their_field() {
        let problems = [
            Floor { max_m: DVec2::ZERO, ..Floor::default() },
            Floor { colors: vec!["#12".into()], ..Floor::default() },
            Floor { columns: 4096, lines: 4096, ..Floor::default() },
            Floor { colors: vec![], ..Floor::default() },
            Floor { colors: vec!["orange".into()], pattern: Pattern::Random { share: 0.5 }, ..Floor::default() },
            Floor { columns: 2, pattern: Pattern::Cells { cells: vec![0] }, ..Floor::default() },
            Floor { columns: 2, lines: 1, pattern: Pattern::Cells { cells: vec![0, 2] }, ..Floor::default() },
        ];
        let problems: Vec<String> = problems.iter().map(|floor| floor.problem().unwrap_or_default()).collect();
        insta::assert_snapshot!(problems.join("\n"), @r"
        `min_m` must be below and left of `max_m`
        `colors`: `#12` is not a colour: expected `#rrggbb`, such as `#56b4e9`, or a name: sky blue, orange, green, purple, blue, vermilion, yellow, text, dim or accent
        at most 4194304 cells fit in a floor, found 16777216
        `colors` is empty: expected at least one
        a `Random` pattern needs two `colors`, found 1
        `cells` has 1 numbers: expected 2 × 8 = 16
        `cells` has the number 2, but there are 2 `colors`
        ");
        assert_eq!(Floor::default().problem(), None);
    }

    #[test]
    fn a_turned_floor_keeps_its_centre() {
        let floor = Floor { max_m: DVec2::new(3.0, 1.0), ..Floor::default() };
        let moved = floor.moved(DVec2::new(1.0, 2.0), std::f64::consts::FRAC_PI_2);
        assert_eq!(moved.figure().center_m, DVec2::new(2.5, 2.5));
        let Form::Polygon(corners) = &moved.figure().forms[0] else { panic!("a rectangle") };
        let expected = [(3.0, 1.0), (3.0, 4.0), (2.0, 4.0), (2.0, 1.0)].map(DVec2::from);
        assert!(
            corners.iter().zip(expected).all(|(corner, expected)| corner.distance(expected) < 1e-12),
            "{corners:?}"
        );
    }

    #[test]
    fn pictures_are_runs_of_pixels() {
        let pixels = encode([WHITE, WHITE, BLACK, WHITE].into_iter());
        let picture = FloorPicture { columns: 2, pixels, ..FloorPicture::default() };
        assert_eq!(picture.problem(), None);
        let grid = picture.floor(draws(0)).unwrap_or_default();
        assert_eq!((grid.columns, &*grid.cells), (2, [WHITE, WHITE, BLACK, WHITE].as_slice()));
        let wrong = [
            FloorPicture { columns: 3, ..picture.clone() },
            FloorPicture { columns: 0, ..picture.clone() },
            FloorPicture { pixels: "?".into(), ..picture },
            FloorPicture { file: "a.png".into(), ..FloorPicture::default() },
        ];
        assert!(wrong.iter().all(|picture| picture.problem().is_some() && picture.floor(draws(0)).is_none()));
        assert_eq!(FloorPicture::default().problem(), None);
    }
}
