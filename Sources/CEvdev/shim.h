#pragma once
// What Swift cannot import: the EVIOC macros, and time fields whose names depend on the word size. No logic.
#include <libevdev/libevdev-uinput.h>
#include <libevdev/libevdev.h>
#include <linux/input.h>
#include <linux/uinput.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>

/// Which keys are down now (EVIOCGKEY). Key events that wait in this descriptor's queue are dropped by the kernel.
static inline int blurt_evdev_get_keys(int fd, uint8_t *bits, size_t size) { return ioctl(fd, EVIOCGKEY(size), bits); }

/// The clock of event times, of this descriptor only (EVIOCSCLOCKID).
static inline int blurt_evdev_set_clock(int fd, int clock) { return ioctl(fd, EVIOCSCLOCKID, &clock); }

/// Which codes of a type are delivered to this descriptor (EVIOCSMASK); type 0 says which types are.
static inline int blurt_evdev_set_mask(int fd, uint32_t type, const uint8_t *bits, uint32_t size) {
  struct input_mask mask = {.type = type, .codes_size = size, .codes_ptr = (uintptr_t)bits};
  return ioctl(fd, EVIOCSMASK, &mask);
}

static inline int64_t blurt_evdev_seconds(const struct input_event *event) { return (int64_t)event->input_event_sec; }
static inline int64_t blurt_evdev_microseconds(const struct input_event *event) {
  return (int64_t)event->input_event_usec;
}

/// The physical path of the device that is about to be made (UI_SET_PHYS); libevdev sets none.
static inline int blurt_uinput_set_phys(int fd, const char *path) { return ioctl(fd, UI_SET_PHYS, path); }
