internal import CPulse
internal import Glibc

/// The functions of libpulse that record from a sound server and ask it questions, found with dlopen and dlsym.
///
/// The library is there wherever ALSA's PulseAudio plug-in is, and stays loaded. Each connection belongs to one thread.
struct PulseLibrary: Sendable {
  /// Nil where the library is not installed.
  static let shared = PulseLibrary()

  let mainloopNew: blurt_pulse_mainloop_new_t
  let mainloopFree: blurt_pulse_mainloop_free_t
  let mainloopGetAPI: blurt_pulse_mainloop_get_api_t
  let mainloopPrepare: blurt_pulse_mainloop_prepare_t
  let mainloopPoll: blurt_pulse_mainloop_poll_t
  let mainloopDispatch: blurt_pulse_mainloop_dispatch_t
  let contextNew: blurt_pulse_context_new_t
  let contextConnect: blurt_pulse_context_connect_t
  let contextDisconnect: blurt_pulse_context_disconnect_t
  let contextUnref: blurt_pulse_context_unref_t
  let contextGetState: blurt_pulse_context_get_state_t
  let sourceOutputs: blurt_pulse_source_outputs_t
  let sourceByIndex: blurt_pulse_source_by_index_t
  let clientByIndex: blurt_pulse_client_by_index_t
  let operationGetState: blurt_pulse_operation_get_state_t
  let operationUnref: blurt_pulse_operation_unref_t
  let proplistGets: blurt_pulse_proplist_gets_t
  let mainloopSetPollFunc: blurt_pulse_mainloop_set_poll_func_t
  let mainloopIterate: blurt_pulse_mainloop_iterate_t
  let contextErrno: blurt_pulse_context_errno_t
  let strError: blurt_pulse_strerror_t
  let streamNew: blurt_pulse_stream_new_t
  let streamUnref: blurt_pulse_stream_unref_t
  let streamConnectRecord: blurt_pulse_stream_connect_record_t
  let streamDisconnect: blurt_pulse_stream_disconnect_t
  let streamGetState: blurt_pulse_stream_get_state_t
  let streamPeek: blurt_pulse_stream_peek_t
  let streamDrop: blurt_pulse_stream_drop_t
  let streamGetDeviceIndex: blurt_pulse_stream_get_device_index_t
  let streamGetSampleSpec: blurt_pulse_stream_get_sample_spec_t
  let streamSetMovedCallback: blurt_pulse_stream_set_moved_callback_t

  private init?() {
    guard let library = dlopen("libpulse.so.0", RTLD_NOW | RTLD_LOCAL) else { return nil }
    func symbol<Function>(_ name: String, as type: Function.Type) -> Function? {
      dlsym(library, name).map { unsafeBitCast($0, to: type) }
    }
    guard
      let mainloopNew = symbol("pa_mainloop_new", as: blurt_pulse_mainloop_new_t.self),
      let mainloopFree = symbol("pa_mainloop_free", as: blurt_pulse_mainloop_free_t.self),
      let mainloopGetAPI = symbol("pa_mainloop_get_api", as: blurt_pulse_mainloop_get_api_t.self),
      let mainloopPrepare = symbol("pa_mainloop_prepare", as: blurt_pulse_mainloop_prepare_t.self),
      let mainloopPoll = symbol("pa_mainloop_poll", as: blurt_pulse_mainloop_poll_t.self),
      let mainloopDispatch = symbol("pa_mainloop_dispatch", as: blurt_pulse_mainloop_dispatch_t.self),
      let contextNew = symbol("pa_context_new", as: blurt_pulse_context_new_t.self),
      let contextConnect = symbol("pa_context_connect", as: blurt_pulse_context_connect_t.self),
      let contextDisconnect = symbol("pa_context_disconnect", as: blurt_pulse_context_disconnect_t.self),
      let contextUnref = symbol("pa_context_unref", as: blurt_pulse_context_unref_t.self),
      let contextGetState = symbol("pa_context_get_state", as: blurt_pulse_context_get_state_t.self),
      let sourceOutputs = symbol("pa_context_get_source_output_info_list", as: blurt_pulse_source_outputs_t.self),
      let sourceByIndex = symbol("pa_context_get_source_info_by_index", as: blurt_pulse_source_by_index_t.self),
      let clientByIndex = symbol("pa_context_get_client_info", as: blurt_pulse_client_by_index_t.self),
      let operationGetState = symbol("pa_operation_get_state", as: blurt_pulse_operation_get_state_t.self),
      let operationUnref = symbol("pa_operation_unref", as: blurt_pulse_operation_unref_t.self),
      let proplistGets = symbol("pa_proplist_gets", as: blurt_pulse_proplist_gets_t.self),
      let mainloopSetPollFunc = symbol("pa_mainloop_set_poll_func", as: blurt_pulse_mainloop_set_poll_func_t.self),
      let mainloopIterate = symbol("pa_mainloop_iterate", as: blurt_pulse_mainloop_iterate_t.self),
      let contextErrno = symbol("pa_context_errno", as: blurt_pulse_context_errno_t.self),
      let strError = symbol("pa_strerror", as: blurt_pulse_strerror_t.self),
      let streamNew = symbol("pa_stream_new", as: blurt_pulse_stream_new_t.self),
      let streamUnref = symbol("pa_stream_unref", as: blurt_pulse_stream_unref_t.self),
      let streamConnectRecord = symbol("pa_stream_connect_record", as: blurt_pulse_stream_connect_record_t.self),
      let streamDisconnect = symbol("pa_stream_disconnect", as: blurt_pulse_stream_disconnect_t.self),
      let streamGetState = symbol("pa_stream_get_state", as: blurt_pulse_stream_get_state_t.self),
      let streamPeek = symbol("pa_stream_peek", as: blurt_pulse_stream_peek_t.self),
      let streamDrop = symbol("pa_stream_drop", as: blurt_pulse_stream_drop_t.self),
      let streamGetDeviceIndex = symbol("pa_stream_get_device_index", as: blurt_pulse_stream_get_device_index_t.self),
      let streamGetSampleSpec = symbol("pa_stream_get_sample_spec", as: blurt_pulse_stream_get_sample_spec_t.self),
      let streamSetMovedCallback = symbol(
        "pa_stream_set_moved_callback", as: blurt_pulse_stream_set_moved_callback_t.self)
    else { return nil }
    self.mainloopNew = mainloopNew
    self.mainloopFree = mainloopFree
    self.mainloopGetAPI = mainloopGetAPI
    self.mainloopPrepare = mainloopPrepare
    self.mainloopPoll = mainloopPoll
    self.mainloopDispatch = mainloopDispatch
    self.contextNew = contextNew
    self.contextConnect = contextConnect
    self.contextDisconnect = contextDisconnect
    self.contextUnref = contextUnref
    self.contextGetState = contextGetState
    self.sourceOutputs = sourceOutputs
    self.sourceByIndex = sourceByIndex
    self.clientByIndex = clientByIndex
    self.operationGetState = operationGetState
    self.operationUnref = operationUnref
    self.proplistGets = proplistGets
    self.mainloopSetPollFunc = mainloopSetPollFunc
    self.mainloopIterate = mainloopIterate
    self.contextErrno = contextErrno
    self.strError = strError
    self.streamNew = streamNew
    self.streamUnref = streamUnref
    self.streamConnectRecord = streamConnectRecord
    self.streamDisconnect = streamDisconnect
    self.streamGetState = streamGetState
    self.streamPeek = streamPeek
    self.streamDrop = streamDrop
    self.streamGetDeviceIndex = streamGetDeviceIndex
    self.streamGetSampleSpec = streamGetSampleSpec
    self.streamSetMovedCallback = streamSetMovedCallback
  }
}
