#ifndef MATINEE_CSTUB_PRODUCTS_H
#define MATINEE_CSTUB_PRODUCTS_H

#include <stddef.h>

/// What the test store sells when no file says otherwise, as UTF-8 JSON.
const unsigned char *_Nonnull matinee_stub_products_start(void);
/// Its length in bytes.
extern const size_t matinee_stub_products_size;

#endif
