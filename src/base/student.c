#include "base/student.h"

#include <assert.h>
#include <math.h>

#define TWO_OVER_PI 0.63661977236758134308

double ilab_student_within(double t, unsigned long df)
{
	assert(df >= 1 && t >= 0);
	const double angle = atan(t / sqrt((double)df)), c2 = cos(angle) * cos(angle);
	double term = df % 2 ? cos(angle) : 1, sum = 0;
	/* Odd: cos + 2/3 cos^3 + (2 4)/(3 5) cos^5 ... to cos^(df-2). Even: 1 + 1/2 cos^2 + (1 3)/(2 4) cos^4 ... to cos^(df-2). */
	for (unsigned long k = df % 2 ? 3 : 2; k <= df; k += 2) {
		sum += term;
		term *= c2 * (double)(k - 1) / (double)k;
	}
	return df % 2 ? TWO_OVER_PI * (angle + sin(angle) * sum) : sin(angle) * sum;
}

double ilab_student_quantile(double confidence, unsigned long df)
{
	assert(confidence > 0 && confidence < 1);
	double low = 0, high = 1;
	while (ilab_student_within(high, df) < confidence)
		high *= 2;
	for (int i = 0; i < 60; i++) {
		const double middle = (low + high) / 2;
		if (ilab_student_within(middle, df) < confidence)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}
