#include <stdlib.h>

#include "CTestSetUp.h"

// Runs before any test of this process, as a principal class does elsewhere: no suite has to think of it. The child of an exit test has
// nothing set up, so that it can show what is missing then.
__attribute__((constructor)) static void set_up(void) {
  if (getenv("SWT_EXIT_TEST_ID") == NULL) matinee_set_up_tests();
}
