internal import CSystemd
internal import Glibc

/// The functions of libsystemd's sd-bus, found with dlopen and dlsym.
///
/// The library stays loaded until the process ends. Its functions may be used by the thread that made the bus alone.
package struct SystemdLibrary {
  /// The name that every release of it since 2012 has.
  package static let name = "libsystemd.so.0"

  let openSystem: blurt_sd_bus_open_t
  let openUser: blurt_sd_bus_open_t
  let new: blurt_sd_bus_open_t
  let setAddress: blurt_sd_bus_set_address_t
  let setBusClient: blurt_sd_bus_set_flag_t
  let start: blurt_sd_bus_ask_t
  let isReady: blurt_sd_bus_ask_t
  let descriptor: blurt_sd_bus_ask_t
  let events: blurt_sd_bus_ask_t
  let timeout: blurt_sd_bus_get_timeout_t
  let process: blurt_sd_bus_process_t
  let call: blurt_sd_bus_call_t
  let close: blurt_sd_bus_close_t
  let unref: blurt_sd_bus_unref_t
  let freeError: blurt_sd_bus_error_free_t
  let newMethodCall: blurt_sd_bus_message_new_method_call_t
  let unrefMessage: blurt_sd_bus_message_unref_t
  let append: blurt_sd_bus_message_append_basic_t
  let open: blurt_sd_bus_message_enter_container_t
  let closeContainer: blurt_sd_bus_message_exit_container_t
  let setAutoStart: blurt_sd_bus_message_set_flag_t
  let read: blurt_sd_bus_message_read_basic_t
  let enter: blurt_sd_bus_message_enter_container_t
  let exit: blurt_sd_bus_message_exit_container_t
  let peek: blurt_sd_bus_message_peek_type_t
  let skip: blurt_sd_bus_message_skip_t
  let path: blurt_sd_bus_message_get_t
  let interface: blurt_sd_bus_message_get_t
  let member: blurt_sd_bus_message_get_t

  /// Loads the library; blocks for as long as that takes.
  package init(name: String = Self.name) throws(BusError) {
    guard let library = dlopen(name, RTLD_NOW | RTLD_LOCAL) else {
      throw .noLibrary(dlerror().map { String(cString: $0) } ?? "unknown reason")
    }
    func symbol<Function>(_ name: String, as type: Function.Type = Function.self) throws(BusError) -> Function {
      guard let address = dlsym(library, name) else { throw .noLibrary("it lacks \(name)") }
      return unsafeBitCast(address, to: type)
    }
    openSystem = try symbol("sd_bus_open_system")
    openUser = try symbol("sd_bus_open_user")
    new = try symbol("sd_bus_new")
    setAddress = try symbol("sd_bus_set_address")
    setBusClient = try symbol("sd_bus_set_bus_client")
    start = try symbol("sd_bus_start")
    isReady = try symbol("sd_bus_is_ready")
    descriptor = try symbol("sd_bus_get_fd")
    events = try symbol("sd_bus_get_events")
    timeout = try symbol("sd_bus_get_timeout")
    process = try symbol("sd_bus_process")
    call = try symbol("sd_bus_call")
    close = try symbol("sd_bus_close")
    unref = try symbol("sd_bus_unref")
    freeError = try symbol("sd_bus_error_free")
    newMethodCall = try symbol("sd_bus_message_new_method_call")
    unrefMessage = try symbol("sd_bus_message_unref")
    append = try symbol("sd_bus_message_append_basic")
    open = try symbol("sd_bus_message_open_container")
    closeContainer = try symbol("sd_bus_message_close_container")
    setAutoStart = try symbol("sd_bus_message_set_auto_start")
    read = try symbol("sd_bus_message_read_basic")
    enter = try symbol("sd_bus_message_enter_container")
    exit = try symbol("sd_bus_message_exit_container")
    peek = try symbol("sd_bus_message_peek_type")
    skip = try symbol("sd_bus_message_skip")
    path = try symbol("sd_bus_message_get_path")
    interface = try symbol("sd_bus_message_get_interface")
    member = try symbol("sd_bus_message_get_member")
  }
}
