#define _GNU_SOURCE
#include "CGtkShims.h"
#include <link.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

void matinee_share_heaps(void) { mallopt(M_ARENA_MAX, 2); }

static int unmap_code(struct dl_phdr_info *object, size_t size, void *data) {
  (void)size, (void)data;
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_X) || (part->p_flags & PF_W)) continue;
    uintptr_t start = (object->dlpi_addr + part->p_vaddr) & ~(page - 1);
    uintptr_t end = object->dlpi_addr + part->p_vaddr + part->p_memsz;
    madvise((void *)start, end - start, MADV_DONTNEED);
  }
  return 1;  // The first is the program itself; libraries are shared.
}

void matinee_trim_memory(void) {
  malloc_trim(0);
  dl_iterate_phdr(unmap_code, NULL);
}
