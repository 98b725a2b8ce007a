//! Dates of the Gregorian calendar.

/// Year, month and day (both from 1) of a number of days since the start of 1970, in UTC (Hinnant, "chrono-compatible
/// low-level date algorithms").
pub fn calendar_date(days: u64) -> (u64, u64, u64) {
    // Days are counted from 1 March of the year 0, so that a leap day is the last day of a year.
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    // Months are counted from March.
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year_of_era + 400 * era + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!([0, 31, 365].map(calendar_date), [(1970, 1, 1), (1970, 2, 1), (1971, 1, 1)]);
        assert_eq!([11_016, 11_017].map(calendar_date), [(2000, 2, 29), (2000, 3, 1)], "a leap year");
        assert_eq!([47_540, 47_541].map(calendar_date), [(2100, 2, 28), (2100, 3, 1)], "no leap year");
        assert_eq!([20_779, 20_786].map(calendar_date), [(2026, 11, 22), (2026, 11, 29)]);
    }
}
