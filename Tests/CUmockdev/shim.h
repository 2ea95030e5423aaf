#pragma once
#include <glib.h>
#include <glib-object.h>
#include <umockdev.h>
