#ifndef MATINEE_CSAMPLE_PUBLICATION_H
#define MATINEE_CSAMPLE_PUBLICATION_H

#include <stddef.h>

/// A file of the sample publication, compiled in; its bytes live as long as the program.
struct matinee_sample_file {
  const char *_Nonnull name;
  const unsigned char *_Nonnull bytes;
  size_t size;
};

/// The file of that name, such as `publication.json` or `rain-is-made-of-rice.jpg`; NULL when there is none.
const struct matinee_sample_file *_Nullable matinee_sample_file_named(const char *_Nonnull name);

/// The file at that place, from 0; NULL behind the last.
const struct matinee_sample_file *_Nullable matinee_sample_file_at(size_t index);

#endif
