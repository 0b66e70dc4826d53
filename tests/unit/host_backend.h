#ifndef HOST_BACKEND_H
#define HOST_BACKEND_H

#include "backend/backend.h"

/* A TEST DOUBLE, not a backend of the program: a complete backend table that computes in host memory, at once, with float32
 * accumulation, so that the harness is tested without a driver and with every fault that a driver may have. It asserts that its caller
 * keeps the contract of backend.h. One session at a time; all state is in `host`. */

enum host_op { HOST_NONE, HOST_OPEN, HOST_PLAN, HOST_ALLOC, HOST_TRIM, HOST_UPLOAD, HOST_DOWNLOAD, HOST_FILL, HOST_CHECKSUM, HOST_LINEAR,
	HOST_SYNC, HOST_SPAN_BEGIN, HOST_SPAN_END,
	HOST_GRAPH_BEGIN, HOST_GRAPH_END, HOST_GRAPH_LAUNCH, HOST_OP_COUNT };

enum host_stamps { HOST_STAMPS_TRUE, HOST_STAMPS_REFUSED, HOST_STAMPS_NONE, HOST_STAMPS_TWO_THREE, HOST_STAMPS_ZERO, HOST_STAMPS_REVERSED,
	HOST_STAMPS_SHORT /* 116 times */, HOST_STAMPS_FAST /* 1.5 times too long */, HOST_STAMPS_STALE /* from the first pass on */ };

/* Passes are counted by products of layer 0, from 1; ALWAYS: in each. Layers and places count from 0; OFF: nowhere. */
#define HOST_OFF (-1)
#define HOST_ALWAYS (-2)

struct host_place { int pass, layer; uint64_t row, column; };

struct host_state {
	/* What the device is like. */
	struct ilab_limits limits;
	uint64_t temporary_bytes;
	enum ilab_layout weight_layout[2];
	bool unfused;                  /* a product is stored before its bias is added: one rounding more */
	bool half_accumulation;        /* sums are kept in float16, and the plan says so */
	bool jitter;                   /* the first output moves by one step of its type in every other pass */
	enum host_stamps stamps;

	/* Faults. */
	enum host_op fail_op;          /* fails at its call number fail_at (from 1) */
	uint64_t fail_at;
	enum ilab_status fail_status;
	const char *fail_text;
	struct host_place drop;        /* this product writes nothing (row and column unused) */
	struct host_place corrupt;     /* this element moves by corrupt_rms times the root mean square of its row */
	double corrupt_rms;
	struct host_place nan;
	struct host_place swap;        /* rows `row` and `column` of the result change places */
	int half_k_layer, no_bias_layer;
	bool tanh_gelu;
	uint64_t tile_rows;            /* rows from here on take the inputs of row (number modulo tile_rows) in layer 0; 0: off */
	enum ilab_stream short_upload; /* the last quarter of this tensor never arrives; ILAB_STREAM_Y: off */
	bool wrong_inputs;             /* the fill of the inputs uses another seed */

	/* What happened. */
	uint64_t calls[HOST_OP_COUNT];
	int pass;
	int open_sessions;
	uint64_t buffers_left;         /* alive when the session was closed */
	bool poisoned;                 /* a fill with poison was seen since the last product */
	uint64_t unpoisoned_passes;    /* passes after the first that met no poison before them */
	uint64_t trims;
};
extern struct host_state host;

/* A sound device with plenty of memory. */
void host_reset(void);
extern const struct ilab_backend host_backend;

#endif
