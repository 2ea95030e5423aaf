// Declarations only: libpulse is loaded at run time, and a machine without it loses nothing but what it would tell.
#pragma once
#include <pulse/pulseaudio.h>

typedef pa_mainloop *(*blurt_pulse_mainloop_new_t)(void);
typedef void (*blurt_pulse_mainloop_free_t)(pa_mainloop *);
typedef pa_mainloop_api *(*blurt_pulse_mainloop_get_api_t)(pa_mainloop *);
typedef int (*blurt_pulse_mainloop_prepare_t)(pa_mainloop *, int microseconds);
typedef int (*blurt_pulse_mainloop_poll_t)(pa_mainloop *);
typedef int (*blurt_pulse_mainloop_dispatch_t)(pa_mainloop *);
typedef pa_context *(*blurt_pulse_context_new_t)(pa_mainloop_api *, const char *);
typedef int (*blurt_pulse_context_connect_t)(pa_context *, const char *, pa_context_flags_t, const pa_spawn_api *);
typedef void (*blurt_pulse_context_disconnect_t)(pa_context *);
typedef void (*blurt_pulse_context_unref_t)(pa_context *);
typedef pa_context_state_t (*blurt_pulse_context_get_state_t)(const pa_context *);
typedef pa_operation *(*blurt_pulse_source_outputs_t)(pa_context *, pa_source_output_info_cb_t, void *);
typedef pa_operation *(*blurt_pulse_source_by_index_t)(pa_context *, uint32_t, pa_source_info_cb_t, void *);
typedef pa_operation *(*blurt_pulse_client_by_index_t)(pa_context *, uint32_t, pa_client_info_cb_t, void *);
typedef pa_operation_state_t (*blurt_pulse_operation_get_state_t)(const pa_operation *);
typedef void (*blurt_pulse_operation_unref_t)(pa_operation *);
typedef const char *(*blurt_pulse_proplist_gets_t)(const pa_proplist *, const char *);
