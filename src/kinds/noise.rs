//! Noise: it changes readings before they are used.

use bevy::prelude::*;
use swarmarium_core::noise::AddNoise;

pub mod bias;
pub mod delay;
pub mod dropout;
pub mod ecef;
pub mod enu;
pub mod feet;
pub mod flip;
pub mod gaussian;
pub mod geodetic;
pub mod imu_noise;
pub mod invert;
pub mod ned;
pub mod odometry_noise;
pub mod pose_noise;
pub mod quantise;
pub mod utm;

pub(crate) fn plugin(app: &mut App) {
    app.add_noise::<bias::Bias>()
        .add_noise::<gaussian::Gaussian>()
        .add_noise::<quantise::Quantise>()
        .add_noise::<flip::Flip>()
        .add_noise::<invert::Invert>()
        .add_noise::<dropout::Dropout>()
        .add_noise::<delay::Delay>()
        .add_noise::<pose_noise::PoseNoise>()
        .add_noise::<odometry_noise::OdometryNoise>()
        .add_noise::<imu_noise::ImuNoise>()
        .add_noise::<ned::Ned>()
        .add_noise::<enu::Enu>()
        .add_noise::<utm::Utm>()
        .add_noise::<feet::Feet>()
        .add_noise::<geodetic::Geodetic>()
        .add_noise::<ecef::Ecef>();
}

#[cfg(test)]
pub(crate) mod tests;
