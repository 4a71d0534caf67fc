#pragma once
// Mistakes that the sanitizers' lanes have to notice: in C of ours, and in a function of a header, which Swift compiles.

/// Whether this was compiled to end the process at undefined behaviour.
int matinee_probe_is_armed(void);
/// One more; of the largest number, undefined.
int matinee_probe_overflow(int number);
/// Gives a null to a function that allows none.
int matinee_probe_null(void);

static inline int matinee_probe_overflow_in_header(int number) { return number + 1; }
