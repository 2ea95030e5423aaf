#pragma once
// What the test process does before its first test; see start.c.
