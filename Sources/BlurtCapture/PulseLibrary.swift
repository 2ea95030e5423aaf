internal import CPulse
internal import Glibc

/// The functions of libpulse that ask a sound server a question, found with dlopen and dlsym.
///
/// The library is there wherever ALSA's PulseAudio plug-in is, which has then loaded it already. It stays loaded: the
/// plug-in has it in use. Each connection belongs to one thread.
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
      let proplistGets = symbol("pa_proplist_gets", as: blurt_pulse_proplist_gets_t.self)
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
  }
}
