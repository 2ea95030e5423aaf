#pragma once
// libcurl, and what Swift cannot import of it: variadic functions. `static inline` wrappers only, no logic.
#include <curl/curl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

static inline CURLcode blurt_curl_set_long(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode blurt_curl_set_offset(CURL *handle, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(handle, option, value);
}
/// The string is copied by libcurl.
static inline CURLcode blurt_curl_set_string(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode blurt_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
  return curl_easy_setopt(handle, option, value);
}

/// CURLOPT_READFUNCTION, CURLOPT_WRITEFUNCTION, CURLOPT_HEADERFUNCTION.
typedef size_t (*blurt_curl_data_callback)(char *buffer, size_t size, size_t count, void *context);
static inline CURLcode blurt_curl_set_data_callback(CURL *handle, CURLoption option, blurt_curl_data_callback callback) {
  return curl_easy_setopt(handle, option, callback);
}
typedef int (*blurt_curl_seek_callback)(void *context, curl_off_t offset, int origin);
static inline CURLcode blurt_curl_set_seek_callback(CURL *handle, blurt_curl_seek_callback callback) {
  return curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, callback);
}
typedef int (*blurt_curl_socket_callback)(void *context, curl_socket_t socket, curlsocktype purpose);
static inline CURLcode blurt_curl_set_socket_callback(CURL *handle, blurt_curl_socket_callback callback) {
  return curl_easy_setopt(handle, CURLOPT_SOCKOPTFUNCTION, callback);
}
/// Called when a connection is chosen, before the request is written to it.
typedef int (*blurt_curl_prerequest_callback)(void *context, char *remote, char *local, int remote_port, int local_port);
static inline CURLcode blurt_curl_set_prerequest_callback(CURL *handle, blurt_curl_prerequest_callback callback) {
  return curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, callback);
}

/// Only http and https, never file or any other scheme that this libcurl was built with.
static inline CURLcode blurt_curl_allow_http_only(CURL *handle) {
#if LIBCURL_VERSION_NUM >= 0x075500
  return curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  return curl_easy_setopt(handle, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

static inline CURLcode blurt_curl_get_long(CURL *handle, CURLINFO info, long *value) {
  return curl_easy_getinfo(handle, info, value);
}
static inline CURLcode blurt_curl_get_offset(CURL *handle, CURLINFO info, curl_off_t *value) {
  return curl_easy_getinfo(handle, info, value);
}

static inline CURLMcode blurt_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

/// How a finished transfer ended. The message lives in a union whose other member Swift would have to name.
static inline CURLcode blurt_curl_message_result(const CURLMsg *message) { return message->data.result; }

/// How long the kernel waits for the peer to acknowledge sent bytes before it drops the connection (TCP_USER_TIMEOUT).
static inline int blurt_curl_limit_unacknowledged(curl_socket_t socket, unsigned int milliseconds) {
  return setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
}
