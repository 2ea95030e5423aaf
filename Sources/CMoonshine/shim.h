#pragma once
// Declarations of the offline engine's C interface. The library is loaded with dlopen; nothing is linked here.
#include <stdint.h>
