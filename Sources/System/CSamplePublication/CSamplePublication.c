#include "CSamplePublication.h"

#include <string.h>

// Files are compiled in by #embed, which clang offers before C23 too.
#pragma clang diagnostic ignored "-Wc23-extensions"

#include "files.inc"

static const size_t count = sizeof files / sizeof *files;

const struct matinee_sample_file *matinee_sample_file_at(size_t index) { return index < count ? &files[index] : NULL; }

const struct matinee_sample_file *matinee_sample_file_named(const char *name) {
  for (size_t i = 0; i < count; i++) {
    if (strcmp(files[i].name, name) == 0) return &files[i];
  }
  return NULL;
}
