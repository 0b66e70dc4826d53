#ifndef HOST_SESSION_H
#define HOST_SESSION_H

#include "host_backend.h"

/* What the files of the test double share; nothing outside them includes this. */

struct ilab_buffer {
	unsigned char *data;
	uint64_t bytes;
	bool used;
	struct ilab_buffer *next;
};

struct ilab_session {
	struct ilab_buffer *buffers;   /* latest freed first */
	struct ilab_memory memory;
	struct ilab_session_info info;
	uint64_t begin_ns, end_ns, first_begin_ns, first_end_ns;
	bool span_open;
	bool recording;                /* what is queued goes into `recorded` */
	struct recorded {
		struct ilab_plan plan;
		int layer;
		struct ilab_buffer *x, *w, *b, *y, *temporary;
		enum ilab_epilogue epilogue;
	} recorded[4];
	size_t recorded_count;
};

/* One more call of `op`: fails where the test wants it. */
enum ilab_status host_count(enum host_op op, struct ilab_err *err);
/* Element `i` of an array in host memory, rounded to its type. */
void host_store(enum ilab_dtype dtype, void *array, uint64_t i, float v);

/* host_product.c: members of the table. */
enum ilab_status host_linear(struct ilab_session *s, const struct ilab_plan *plan, int layer, struct ilab_buffer *x, struct ilab_buffer *w,
	struct ilab_buffer *b, struct ilab_buffer *y, struct ilab_buffer *temporary, enum ilab_epilogue epilogue, struct ilab_err *err);
enum ilab_status host_graph_begin(struct ilab_session *s, struct ilab_err *err);
enum ilab_status host_graph_end(struct ilab_session *s, struct ilab_err *err);
enum ilab_status host_graph_launch(struct ilab_session *s, struct ilab_err *err);

#endif
