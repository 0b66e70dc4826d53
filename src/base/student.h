#ifndef ILAB_BASE_STUDENT_H
#define ILAB_BASE_STUDENT_H

/* Student's t distribution with a whole number of degrees of freedom (>= 1). */

/* P(|T| <= t), t >= 0. Finite sums in the angle atan(t / sqrt(df)). Source: Abramowitz and Stegun, Handbook of Mathematical
 * Functions, 26.7.3 and 26.7.4. */
double ilab_student_within(double t, unsigned long df);
/* The t with P(|T| <= t) = confidence, 0 < confidence < 1: 12.706 for 1 degree of freedom and 0.95. Good to 12 digits. */
double ilab_student_quantile(double confidence, unsigned long df);

#endif
