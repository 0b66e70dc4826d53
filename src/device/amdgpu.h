#ifndef ILAB_DEVICE_AMDGPU_H
#define ILAB_DEVICE_AMDGPU_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* What the kernel's amdgpu driver says in files, for any backend that reaches an AMD card. PCI addresses are "0000:c1:00.0". */

/* Memory of process `pid` (a number of the host's) on the card, by the driver's compute part (KFD); of the whole card, by sysfs. False where the
 * files are not there. `root` is "" for this machine, another folder in tests. */
bool ilab_amdgpu_process_memory(const char *root, const char *pci_address, long pid, uint64_t *bytes);
bool ilab_amdgpu_device_memory(const char *root, const char *pci_address, uint64_t *bytes);

/* The same for this process, and for this machine's cards. In a namespace of process numbers our number means another process to KFD: then
 * there is no figure. */
bool ilab_amdgpu_own_memory(const char *pci_address, uint64_t *bytes);
bool ilab_amdgpu_used_memory(const char *pci_address, uint64_t *bytes);

/* Release of the driver; NULL when it is not loaded. */
const char *ilab_amdgpu_release(struct ilab_arena *arena);
/* Why this process cannot use AMD's compute devices; NULL when the kernel's side looks right. */
const char *ilab_amdgpu_trouble(struct ilab_arena *arena);

#endif
