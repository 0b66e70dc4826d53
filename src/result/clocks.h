#ifndef ILAB_RESULT_CLOCKS_H
#define ILAB_RESULT_CLOCKS_H

/* When stamps of a device's clock are credible. The harness judges by these figures, and `validate` holds documents to them. */

/* A device span lies inside the host's, so it may pass it only by a drift between two clocks, 2 %, and by the resolution of the
 * stamps, of which no more than this counts. */
#define ILAB_SPAN_EXCESS 1.02
#define ILAB_SPAN_SLACK_SECONDS 1e-4
/* Share of a calibration span of some milliseconds that credible stamps must cover. The rest is launching and waking up. */
#define ILAB_CALIBRATION_LEAST 0.7
/* The same two excesses on a span of 4 ms come to less than this. */
#define ILAB_CALIBRATION_MOST 1.1

#endif
