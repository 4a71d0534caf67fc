#pragma once

/// Sets every module up. `TestSupport` defines it.
void matinee_set_up_tests(void);
