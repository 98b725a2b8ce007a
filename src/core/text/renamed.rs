//! Renamed fields and variants of scenes and edits, and everyday words for them.
//!
//! Some old names are common words: an old name counts only where the new one is known.

/// Old names, each with the present one.
const RENAMED: &[(&str, &str)] = &[
    ("Blinds", "Sensors"),
    ("Both", "ClipWheels"),
    ("Deafens", "Receiver"),
    ("Dies", "Total"),
    ("Fixed", "Periodic"),
    ("Freezes", "Motors"),
    ("Speed", "KeepTurnRate"),
    ("SpeedFreely", "KeepTurnRateAllowReverse"),
    ("True", "Exact"),
    ("Walled", "Walls"),
    ("Wrapping", "Periodic"),
    ("acceleration_m_per_s2", "acceleration_std_dev_m_per_s2"),
    ("act", "behaviour"),
    ("apart_m", "min_distance_m"),
    ("collisions", "overlap_resolution"),
    ("collisions", "packet_collisions"),
    ("draws", "random_source"),
    ("drift_spread_ppm", "drift_std_dev_ppm"),
    ("every_steps", "interval_steps"),
    ("eyes", "mounts"),
    ("factor_spread", "factor_std_dev"),
    ("first_readings", "initial_readings"),
    ("first_speed_m_per_s", "initial_speed_m_per_s"),
    ("gesture", "transaction"),
    ("gives_way", "saturation"),
    ("gyro_drift_spread_rad", "gyro_drift_std_dev_rad"),
    ("gyro_rad_per_s", "gyro_std_dev_rad_per_s"),
    ("heading_steps", "heading_levels"),
    ("idiosyncrasy", "motion_variation"),
    ("is_on", "is_active"),
    ("jitter_s", "jitter_std_dev_s"),
    ("leave", "transitions"),
    ("longest_s", "max_duration_s"),
    ("loss", "probability"),
    ("majority_of", "vote_readings"),
    ("noted_goal_m", "recorded_goal_m"),
    ("notes", "record_when"),
    ("offset_spread_s", "offset_std_dev_s"),
    ("per_time", "batch_size"),
    ("position_m", "position_std_dev_m"),
    ("proximity", "infrared_model"),
    ("rotation_rad", "rotation_std_dev_rad"),
    ("spread", "std_dev"),
    ("spread_m", "std_dev_m"),
    ("step_spawners", "spawn_before_first_step"),
    ("turns", "schedule"),
    ("wait_for", "min_clients"),
    ("walls", "boundary"),
    ("what", "failure"),
    ("who", "target"),
];

/// The present name, among the `known` ones, for the old name `name`.
pub fn new_name<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    let new = |(old, new): &(&str, &str)| (*old == name).then(|| known.iter().find(|known| *known == new)).flatten();
    RENAMED.iter().find_map(new).copied()
}

/// Everyday words, each with the name of the same thing, or of the field that contains it.
const SYNONYMS: &[(&str, &str)] = &[
    ("Average", "Mean"),
    ("Avg", "Mean"),
    ("End", "Final"),
    ("Last", "Final"),
    ("Maximum", "Max"),
    ("Median", "Quantile"),
    ("Minimum", "Min"),
    ("Torus", "Periodic"),
    ("Toroidal", "Periodic"),
    ("Bounded", "Walls"),
    ("Closed", "Walls"),
    ("number", "count"),
    ("amount", "count"),
    ("color", "look"),
    ("colour", "look"),
    ("duration", "stop"),
    ("steps", "stop"),
    ("repeat", "repetitions"),
    ("repeats", "repetitions"),
    ("vary", "factors"),
    ("n", "count"),
    ("obstacles", "objects"),
    ("walls", "objects"),
    ("robots", "groups"),
    ("agents", "groups"),
    ("swarm", "groups"),
    ("world", "arena"),
    ("environment", "arena"),
    ("behavior", "controller"),
    ("behaviour", "controller"),
    ("pose", "at"),
    ("poses", "at"),
    ("position", "center_m"),
    ("position", "at"),
    ("positions", "at"),
    ("sigma", "std_dev"),
    ("step", "dt_s"),
    ("timestep", "dt_s"),
    ("v", "v_m_per_s"),
    ("speed", "v_m_per_s"),
    ("w", "turn_rad_per_s"),
    ("omega", "turn_rad_per_s"),
];

/// The known name for an everyday word in any case, such as `Mean` for `average`.
pub fn known_name<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    let synonyms = SYNONYMS.iter().filter(|(synonym, _)| synonym.eq_ignore_ascii_case(word));
    synonyms.filter_map(|(_, name)| known.iter().find(|known| *known == name)).copied().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everyday_words_suggest_names() {
        assert_eq!(known_name("avg", &["Final", "Mean"]), Some("Mean"));
        assert_eq!(known_name("Torus", &["Open", "Periodic", "Walls"]), Some("Periodic"));
        assert_eq!(known_name("avg", &["Final"]), None);
    }

    #[test]
    fn renamed_fields_suggest_the_new_name() {
        assert_eq!(new_name("walls", &["size_m", "boundary"]), Some("boundary"));
        assert_eq!(new_name("walls", &["agents", "obstacles"]), None, "another type with such a field");
        assert_eq!(new_name("collisions", &["packet_collisions"]), Some("packet_collisions"));
        assert_eq!(new_name("boundary", &["boundary"]), None);
    }
}
