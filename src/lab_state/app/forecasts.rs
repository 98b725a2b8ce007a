//! Forecasts of values under the pointer.

use crate::action::ForecastAction;
use crate::app::Lab;
use crate::common::settings::FORECASTS_S;

impl Lab {
    /// Does a requested action.
    pub fn do_forecast(&mut self, action: ForecastAction) {
        match action {
            ForecastAction::Show(foreseen) => self.forecasts.asked = Some(foreseen),
            ForecastAction::PointAt(span) => self.forecasts.curve.pointed = Some(span),
            ForecastAction::Toggle => self.shell.settings.forecasts ^= true,
            ForecastAction::SetDuration(duration_s) => {
                let (least_s, most_s) = FORECASTS_S.into_inner();
                self.shell.settings.forecast_s = duration_s.clamp(least_s, most_s);
            }
        }
    }

    /// Continues the forecasts that the panels ask for in this frame.
    pub fn follow_forecasts(&mut self) {
        let settings = &self.shell.settings;
        let asked = self.forecasts.asked.take().filter(|_| settings.forecasts);
        let restarts = asked.as_ref().is_some_and(|asked| self.restarts_on(&asked.path));
        self.forecasts.follow(&mut self.run, asked.as_ref(), settings.forecast_s, restarts);
        let is_idle = settings.forecasts && !self.sweep.is_busy() && !self.files.recordings.is_under_way();
        self.forecasts.curve.follow(&self.run, &self.sweep.setup, is_idle);
    }
}
