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
typedef void (*blurt_pulse_mainloop_set_poll_func_t)(pa_mainloop *, pa_poll_func, void *);
typedef int (*blurt_pulse_mainloop_iterate_t)(pa_mainloop *, int block, int *result);
typedef int (*blurt_pulse_context_errno_t)(const pa_context *);
typedef const char *(*blurt_pulse_strerror_t)(int);
typedef pa_stream *(*blurt_pulse_stream_new_t)(pa_context *, const char *, const pa_sample_spec *, const pa_channel_map *);
typedef void (*blurt_pulse_stream_unref_t)(pa_stream *);
typedef int (*blurt_pulse_stream_connect_record_t)(
    pa_stream *, const char *source, const pa_buffer_attr *, pa_stream_flags_t);
typedef int (*blurt_pulse_stream_disconnect_t)(pa_stream *);
typedef pa_stream_state_t (*blurt_pulse_stream_get_state_t)(const pa_stream *);
typedef int (*blurt_pulse_stream_peek_t)(pa_stream *, const void **, size_t *);
typedef int (*blurt_pulse_stream_drop_t)(pa_stream *);
typedef uint32_t (*blurt_pulse_stream_get_device_index_t)(const pa_stream *);
typedef const pa_sample_spec *(*blurt_pulse_stream_get_sample_spec_t)(pa_stream *);
typedef void (*blurt_pulse_stream_set_moved_callback_t)(pa_stream *, pa_stream_notify_cb_t, void *);
