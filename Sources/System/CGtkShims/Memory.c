#include "CGtkShims.h"
#include <malloc.h>

void matinee_share_heaps(void) { mallopt(M_ARENA_MAX, 2); }

void matinee_trim_heaps(void) { malloc_trim(0); }
