#pragma once
// The part of libsystemd's sd-bus interface that the seat is watched and the focused field is read with, declared by ourselves: the library is opened
// with dlopen and nothing is linked or needed to build. Its functions and their types have been stable since version 240.
//
// Types only. Of the variadic functions none is used: a message is put together and taken apart value by value.
#include <stdint.h>

struct blurt_sd_bus;
struct blurt_sd_bus_message;

/// What a refused call says; both strings belong to the library until sd_bus_error_free.
struct blurt_sd_bus_error {
  const char *name;
  const char *message;
  int need_free;
};

#if __SIZEOF_POINTER__ == 8
_Static_assert(sizeof(struct blurt_sd_bus_error) == 24, "layout of sd_bus_error");
#endif

/// Functions that return int give a negative errno for a failure.

/// sd_bus_open_system, sd_bus_open_user, sd_bus_new
typedef int (*blurt_sd_bus_open_t)(struct blurt_sd_bus **bus);
/// sd_bus_set_address: a D-Bus address, before the start.
typedef int (*blurt_sd_bus_set_address_t)(struct blurt_sd_bus *bus, const char *address);
/// sd_bus_set_bus_client
typedef int (*blurt_sd_bus_set_flag_t)(struct blurt_sd_bus *bus, int flag);
/// sd_bus_start, sd_bus_is_ready, sd_bus_get_fd, sd_bus_get_events
typedef int (*blurt_sd_bus_ask_t)(struct blurt_sd_bus *bus);
/// sd_bus_close
typedef void (*blurt_sd_bus_close_t)(struct blurt_sd_bus *bus);
/// sd_bus_unref: returns NULL.
typedef struct blurt_sd_bus *(*blurt_sd_bus_unref_t)(struct blurt_sd_bus *bus);
/// sd_bus_get_timeout: absolute, in microseconds of CLOCK_MONOTONIC; UINT64_MAX for never.
typedef int (*blurt_sd_bus_get_timeout_t)(struct blurt_sd_bus *bus, uint64_t *microseconds);
/// sd_bus_process: positive where something was done; the message, if one came that nobody else took.
typedef int (*blurt_sd_bus_process_t)(struct blurt_sd_bus *bus, struct blurt_sd_bus_message **message);
/// sd_bus_call: waits for the answer, at most so many microseconds.
typedef int (*blurt_sd_bus_call_t)(
    struct blurt_sd_bus *bus, struct blurt_sd_bus_message *message, uint64_t microseconds,
    struct blurt_sd_bus_error *error, struct blurt_sd_bus_message **reply);
/// sd_bus_error_free
typedef void (*blurt_sd_bus_error_free_t)(struct blurt_sd_bus_error *error);

/// sd_bus_message_new_method_call
typedef int (*blurt_sd_bus_message_new_method_call_t)(
    struct blurt_sd_bus *bus, struct blurt_sd_bus_message **message, const char *destination, const char *path,
    const char *interface, const char *member);
/// sd_bus_message_unref: returns NULL.
typedef struct blurt_sd_bus_message *(*blurt_sd_bus_message_unref_t)(struct blurt_sd_bus_message *message);
/// sd_bus_message_append_basic
typedef int (*blurt_sd_bus_message_append_basic_t)(struct blurt_sd_bus_message *message, char type, const void *value);
/// sd_bus_message_read_basic: 0 at the end of an array. Strings and descriptors belong to the message.
typedef int (*blurt_sd_bus_message_read_basic_t)(struct blurt_sd_bus_message *message, char type, void *value);
/// sd_bus_message_set_auto_start
typedef int (*blurt_sd_bus_message_set_flag_t)(struct blurt_sd_bus_message *message, int flag);
/// sd_bus_message_enter_container: 0 at the end of an array. sd_bus_message_open_container.
typedef int (*blurt_sd_bus_message_enter_container_t)(
    struct blurt_sd_bus_message *message, char type, const char *contents);
/// sd_bus_message_exit_container, sd_bus_message_close_container
typedef int (*blurt_sd_bus_message_exit_container_t)(struct blurt_sd_bus_message *message);
/// sd_bus_message_peek_type: the type of the next value, and of what is in it.
typedef int (*blurt_sd_bus_message_peek_type_t)(
    struct blurt_sd_bus_message *message, char *type, const char **contents);
/// sd_bus_message_skip
typedef int (*blurt_sd_bus_message_skip_t)(struct blurt_sd_bus_message *message, const char *types);
/// sd_bus_message_get_path, sd_bus_message_get_interface, sd_bus_message_get_member: NULL where there is none.
typedef const char *(*blurt_sd_bus_message_get_t)(struct blurt_sd_bus_message *message);
