#include "CTestStart.h"

/* In BlurtTestSupport. */
extern void blurt_test_start(void);

/* Before main: the test runner itself consists of tasks, and they are to run where the tests do. */
__attribute__((constructor)) static void start(void) { blurt_test_start(); }
