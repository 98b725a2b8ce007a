//! Figures: charts as pictures, and their files.
