#define _GNU_SOURCE
#include "CGtkShims.h"
#include <link.h>
#include <malloc.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void matinee_share_heaps(void) { mallopt(M_ARENA_MAX, 2); }

// The program itself, and libraries that a start needs and a person who reads does not: one draws the icons, the other opens the keyring's
// answers. The toolkit's own are needed with the next frame.
static int is_used_by_starts(const char *path) {
  static const char *const libraries[] = {"librsvg-2.so", "libcrypto.so"};
  if (!path[0]) return 1;
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
    if (strncmp(name, libraries[i], strlen(libraries[i])) == 0) return 1;
  }
  return 0;
}

// Only pages that cannot be written to: the kernel reads them from the file again.
static int unmap_code(struct dl_phdr_info *object, size_t size, void *data) {
  (void)size, (void)data;
  if (!is_used_by_starts(object->dlpi_name)) return 0;
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || (part->p_flags & PF_W)) continue;
    uintptr_t start = (object->dlpi_addr + part->p_vaddr) & ~(page - 1);
    uintptr_t end = object->dlpi_addr + part->p_vaddr + part->p_memsz;
    madvise((void *)start, end - start, MADV_DONTNEED);
  }
  return 0;
}

void matinee_trim_memory(void) {
  malloc_trim(0);
  dl_iterate_phdr(unmap_code, NULL);
}
