#include "CTrapProbe.h"

#include <stddef.h>

int matinee_probe_is_armed(void) {
#if __has_feature(undefined_behavior_sanitizer)
  return 1;
#else
  return 0;
#endif
}

int matinee_probe_overflow(int number) { return number + 1; }

static int is_there(const char *_Nonnull text) { return text != NULL; }

int matinee_probe_null(void) {
  const char *volatile text = NULL;
  return is_there((const char *_Nonnull)text);
}
