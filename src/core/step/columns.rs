//! Components of many entities as columns of a table, which can be split between threads.

use bevy::ecs::change_detection::ContiguousMut;
use bevy::ecs::query::{ArchetypeFilter, ContiguousQueryData};
use bevy::prelude::*;
use swarmarium_space::MovingBodies;

/// Slices with one item per entity, for the same entities, which can be split between two entities.
pub trait Columns: Sized + Send {
    /// Cuts off what comes before `row`; gives that and the rest.
    fn cut(self, row: usize) -> (Self, Self);
}

impl<T: Sync> Columns for &[T] {
    fn cut(self, row: usize) -> (Self, Self) {
        self.split_at(row)
    }
}

impl<T: Send> Columns for &mut [T] {
    fn cut(self, row: usize) -> (Self, Self) {
        self.split_at_mut(row)
    }
}

/// Components that all entities of a table have, or none.
impl<C: Columns> Columns for Option<C> {
    fn cut(self, row: usize) -> (Self, Self) {
        self.map_or((None, None), |columns| {
            let (first, rest) = columns.cut(row);
            (Some(first), Some(rest))
        })
    }
}

/// Whether all entities of a table have a component.
impl Columns for bool {
    fn cut(self, _: usize) -> (Self, Self) {
        (self, self)
    }
}

impl Columns for MovingBodies<'_> {
    fn cut(self, row: usize) -> (Self, Self) {
        self.split_at(row)
    }
}

macro_rules! columns_of_tuples {
    ($($name:ident)+) => {
        impl<$($name: Columns),+> Columns for ($($name,)+) {
            #[expect(non_snake_case, reason = "a column is called as its type")]
            fn cut(self, row: usize) -> (Self, Self) {
                let ($($name,)+) = self;
                $(let $name = $name.cut(row);)+
                (($($name.0,)+), ($($name.1,)+))
            }
        }
    };
}

columns_of_tuples!(A B);
columns_of_tuples!(A B C);
columns_of_tuples!(A B C D);
columns_of_tuples!(A B C D E);
columns_of_tuples!(A B C D E F);
columns_of_tuples!(A B C D E F G);

/// The components as a slice. All are marked as changed, because snapshots share unchanged components.
pub fn plain<T>(column: ContiguousMut<'_, T>) -> &mut [T] {
    ContiguousMut::split(column).0
}

/// The tables of a query, one after the other.
///
/// All its components must have table storage; otherwise compilation fails.
pub fn tables<'q, 's, D, F>(query: &'q mut Query<'_, 's, D, F>) -> impl Iterator<Item = D::Contiguous<'q, 's>>
where
    D: ContiguousQueryData,
    F: ArchetypeFilter,
{
    const { assert!(D::IS_DENSE && F::IS_DENSE, "components of kinds and robots are kept in tables") };
    match query.contiguous_iter_mut() {
        Ok(tables) => tables,
        Err(_) => unreachable!("a query of columns is not dense"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn split_columns_keep_rows_together() {
        let (mut numbers, names) = ([1, 2, 3], ["a", "b", "c"]);
        let ((first, here, none, is), (rest, there, ..)) =
            (&mut numbers[..], Some(&names[..]), None::<&[u8]>, true).cut(1);
        assert_eq!(first, &mut [1][..]);
        assert_eq!(here, Some(&["a"][..]));
        assert_eq!(none, None);
        assert!(is);
        assert_eq!(rest, &mut [2, 3][..]);
        assert_eq!(there, Some(&["b", "c"][..]));
    }
}
