#include "CStubProducts.h"

// Files are compiled in by #embed, which clang offers before C23 too.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char stub_products[] = {
#embed "../../../Resources/stub-products/sample.json"
};
const size_t matinee_stub_products_size = sizeof stub_products;
const unsigned char *matinee_stub_products_start(void) { return stub_products; }
