/* harness/order: written-out orders, and balance. */
#include "harness/order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static void order_text(size_t views, size_t rounds, char *text)
{
	for (size_t r = 0; r < rounds; r++) {
		size_t order[8];
		ilab_order_round(views, r, order);
		for (size_t i = 0; i < views; i++)
			*text++ = (char)('A' + order[i]);
	}
	*text = '\0';
}

static void two_change_places(void **state)
{
	(void)state;
	char text[64];
	order_text(2, 4, text);
	assert_string_equal(text, "ABBAABBA");
	order_text(1, 3, text);
	assert_string_equal(text, "AAA");
}

static void three_are_rotated(void **state)
{
	(void)state;
	char text[64];
	order_text(3, 4, text);
	assert_string_equal(text, "ABCBCACABABC");
}

static void each_stands_at_every_place_equally_often(void **state)
{
	(void)state;
	for (size_t views = 2; views <= 8; views++) {
		size_t count[8][8] = { { 0 } };
		for (size_t r = 0; r < 3 * views; r++) {
			size_t order[8];
			ilab_order_round(views, r, order);
			for (size_t i = 0; i < views; i++)
				count[i][order[i]]++;
		}
		for (size_t i = 0; i < views; i++)
			for (size_t v = 0; v < views; v++)
				assert_int_equal(count[i][v], 3);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_change_places),
		cmocka_unit_test(three_are_rotated),
		cmocka_unit_test(each_stands_at_every_place_equally_often),
	};
	return cmocka_run_group_tests_name("harness/order", tests, NULL, NULL);
}
