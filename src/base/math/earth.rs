//! Geodesy: the arena as a plane tangent to the WGS-84 ellipsoid.

use std::f64::consts::TAU;

use bevy::math::{DMat3, DVec3};
use bevy::prelude::*;

use super::{atan2, hypot, sin_cos};
use crate::limits::Limits;

/// Equatorial radius (m) of WGS-84.
const EQUATOR_M: f64 = 6_378_137.0;
/// Squared eccentricity of WGS-84.
const ECCENTRICITY_2: f64 = 6.694_379_990_141_317e-3;

/// Geographic position of the origin of an arena.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub struct Origin {
    /// Longitude, positive to the east.
    #[reflect(@Limits::between(-360.0, 360.0))]
    pub longitude_deg: f64,
    /// Latitude, positive to the north.
    #[reflect(@Limits::between(-90.0, 90.0))]
    pub latitude_deg: f64,
    /// Height above the ellipsoid.
    #[reflect(@Limits::between(-1e5, 1e8))]
    pub altitude_m: f64,
    /// Direction of north, clockwise from the y axis of the arena.
    #[reflect(@Limits::between(-360.0, 360.0))]
    pub north_deg: f64,
    /// Whether longitude, latitude and altitude are rounded to 32-bit floats, as in MORSE. This moves the origin by
    /// some decimetres.
    pub round_origin: bool,
}

impl Origin {
    /// The tangent plane at the origin.
    #[must_use]
    pub fn plane(&self) -> Plane {
        let rounded = |number: f64| if self.round_origin { f64::from(number as f32) } else { number };
        let [longitude, latitude] =
            [self.longitude_deg, self.latitude_deg].map(|degrees| rounded(degrees).to_radians());
        let ((sin_lon, cos_lon), (sin_lat, cos_lat)) = (sin_cos(longitude), sin_cos(latitude));
        let east = DVec3::new(-sin_lon, cos_lon, 0.0);
        let north = DVec3::new(-sin_lat * cos_lon, -sin_lat * sin_lon, cos_lat);
        let up = DVec3::new(cos_lat * cos_lon, cos_lat * sin_lon, sin_lat);
        let (sin, cos) = sin_cos(self.north_deg.to_radians());
        // North lies to the right of y, so y lies to the left of north.
        let axes = DMat3::from_cols(cos * east + sin * north, cos * north - sin * east, up);
        let place = Place { longitude_rad: longitude, latitude_rad: latitude, altitude_m: rounded(self.altitude_m) };
        Plane { origin: place.earth_centred(), axes }
    }
}

/// A geographic position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Longitude, positive to the east.
    pub longitude_rad: f64,
    /// Latitude, positive to the north.
    pub latitude_rad: f64,
    /// Height above the ellipsoid.
    pub altitude_m: f64,
}

impl Place {
    /// Earth-centred, Earth-fixed coordinates (m): x points to longitude 0 on the equator, z to the north pole.
    #[must_use]
    pub fn earth_centred(self) -> DVec3 {
        let ((sin_lon, cos_lon), (sin_lat, cos_lat)) = (sin_cos(self.longitude_rad), sin_cos(self.latitude_rad));
        let across = EQUATOR_M / (1.0 - ECCENTRICITY_2 * sin_lat * sin_lat).sqrt();
        let out = (across + self.altitude_m) * cos_lat;
        let up = (across * (1.0 - ECCENTRICITY_2) + self.altitude_m) * sin_lat;
        DVec3::new(out * cos_lon, out * sin_lon, up)
    }

    /// The geographic position of Earth-centred coordinates (m).
    ///
    /// The latitude is found by iteration. Each round gains more than two digits, except deep inside the Earth.
    #[must_use]
    pub fn at(point: DVec3) -> Self {
        let out = hypot(point.x, point.y);
        let mut latitude_rad = atan2(point.z, out * (1.0 - ECCENTRICITY_2));
        for _ in 0..10 {
            let (sin, _) = sin_cos(latitude_rad);
            let across = EQUATOR_M / (1.0 - ECCENTRICITY_2 * sin * sin).sqrt();
            latitude_rad = atan2(point.z + ECCENTRICITY_2 * across * sin, out);
        }
        let (sin, cos) = sin_cos(latitude_rad);
        let altitude_m = out * cos + point.z * sin - EQUATOR_M * (1.0 - ECCENTRICITY_2 * sin * sin).sqrt();
        Self { longitude_rad: atan2(point.y, point.x), latitude_rad, altitude_m }
    }

    /// Longitude and latitude in degrees, and altitude in metres.
    #[must_use]
    pub fn in_degrees(self) -> DVec3 {
        DVec3::new(self.longitude_rad.to_degrees(), self.latitude_rad.to_degrees(), self.altitude_m)
    }

    /// The position with this longitude and latitude (degrees) and altitude (m).
    #[must_use]
    pub fn of_degrees(place: DVec3) -> Self {
        Self { longitude_rad: place.x.to_radians(), latitude_rad: place.y.to_radians(), altitude_m: place.z }
    }
}

/// The arena as a plane tangent to the Earth; coordinates in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    origin: DVec3,
    axes: DMat3,
}

impl Plane {
    /// Earth-centred coordinates of a point of the arena.
    #[must_use]
    pub fn to_earth(&self, point: DVec3) -> DVec3 {
        self.origin + self.axes * point
    }

    /// Arena coordinates of an Earth-centred point.
    #[must_use]
    pub fn to_arena(&self, point: DVec3) -> DVec3 {
        self.axes.transpose() * (point - self.origin)
    }
}

/// `angle` (rad) wrapped into [0, 2π).
#[must_use]
pub fn positive_angle(angle: f64) -> f64 {
    let angle = angle.rem_euclid(TAU);
    // An angle just below 0 rounds to a whole turn.
    if angle < TAU { angle } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    pub(crate) const MORSE: Origin =
        Origin { longitude_deg: 43.6, latitude_deg: 1.4333, altitude_m: 135.0, north_deg: 0.0, round_origin: true };

    #[test]
    fn geographic_coordinates_equal_those_of_the_tests_of_morse() {
        let near = |found: DVec3, expected: [f64; 3], tolerance: f64| {
            assert!((found - DVec3::from(expected)).abs().max_element() < tolerance, "{found} {expected:?}");
        };
        let plane = MORSE.plane();
        let first = plane.to_earth(DVec3::new(10.0, 8.0, 0.1));
        near(first, [4_617_522.748, 4_397_221.061, 158_481.297], 0.02);
        near(plane.to_earth(DVec3::new(100.0, 200.0, 50.0)), [4_617_493.329, 4_397_317.326, 158_674.479], 0.02);
        let place = Place::at(first).in_degrees();
        near(place.truncate().extend(0.0), [43.600_088_3, 1.433_372_470, 0.0], 2e-6);
        assert!((place.z - 135.1).abs() < 0.02);
        let far = Place::at(plane.to_earth(DVec3::new(100.0, 200.0, 50.0))).in_degrees();
        assert!((far.z - 185.003).abs() < 0.02 && (far.y - 1.4351).abs() < 1e-4, "{far}");
    }

    #[test]
    fn north_may_have_any_direction() {
        let plane = Origin { north_deg: 90.0, round_origin: false, ..MORSE }.plane();
        let step = Place::at(plane.to_earth(DVec3::new(100.0, 0.0, 0.0))).in_degrees();
        assert!((step.y - 1.4342).abs() < 1e-4 && (step.x - 43.6).abs() < 1e-6, "x leads to the north: {step}");
    }

    proptest! {
        #[test]
        fn geographic_coordinates_and_points_are_inverse(lon in -179.0..179.0, lat in -90.0..90.0, altitude in -1e4..1e6) {
            let place = DVec3::new(lon, lat, altitude);
            let again = Place::at(Place::of_degrees(place).earth_centred()).in_degrees();
            // At the poles the longitude is arbitrary.
            let error = (again - place) * DVec3::new(super::super::cos(lat.to_radians()), 1.0, 1e-3);
            prop_assert!(error.abs().max_element() < 1e-9, "{again}");
        }

        #[test]
        fn tangent_planes_convert_there_and_back(x in -1e4..1e4, y in -1e4..1e4, z in -1e3..1e3, north in -180.0..180.0) {
            let plane = Origin { north_deg: north, ..MORSE }.plane();
            let point = DVec3::new(x, y, z);
            prop_assert!((plane.to_arena(plane.to_earth(point)) - point).length() < 1e-6);
        }
    }

    #[test]
    fn positive_angles_are_below_a_turn() {
        assert_eq!(positive_angle(-1e-300), 0.0);
        assert_eq!(positive_angle(TAU), 0.0);
        assert_eq!(positive_angle(1.0), 1.0);
    }
}
