#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "CTestSetUp.h"

// Of libcrypto, which only some tests link.
extern int OPENSSL_init_crypto(uint64_t options, const void *settings) __attribute__((weak));
static const uint64_t no_atexit = 0x00080000;  // OPENSSL_INIT_NO_ATEXIT

// Runs before any test of this process, as a principal class does elsewhere: no suite has to think of it. The child of an exit test has
// nothing set up, so that it can show what is missing then.
__attribute__((constructor)) static void set_up(void) {
  // A process that is ended from outside leaves in its log how far it was.
  setvbuf(stdout, NULL, _IOLBF, 0);
  // Publications of tests that are over may still use it on their threads when the process ends, and would use what was freed. The programs
  // end by _exit.
  if (OPENSSL_init_crypto != NULL) OPENSSL_init_crypto(no_atexit, NULL);
  if (getenv("SWT_EXIT_TEST_ID") == NULL) matinee_set_up_tests();
}
