#ifndef ILAB_BACKEND_REGISTRY_H
#define ILAB_BACKEND_REGISTRY_H

/* Tables of the backends that are part of the program; for registry.c only. */
extern const struct ilab_backend ilab_backend_opencl;

#endif
