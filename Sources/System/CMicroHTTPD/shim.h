#pragma once

#include <microhttpd.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>

#pragma clang assume_nonnull begin

// Whom to tell that the library has something to say, and the status of the answer that it is about to give by itself; 0 when it gives none.
// Swift has no functions that take a va_list.
struct matinee_mhd_logger {
  void (*complained)(void *_Nullable context, unsigned int status);
  void *_Nullable context;
};

static inline void matinee_mhd_log(void *logger, const char *format, va_list arguments) {
  const char refusal[] = "Error processing request (HTTP response code is %u";
  unsigned int status = strncmp(format, refusal, sizeof refusal - 1) == 0 ? va_arg(arguments, unsigned int) : 0;
  ((struct matinee_mhd_logger *)logger)->complained(((struct matinee_mhd_logger *)logger)->context, status);
}

// MHD_start_daemon is variadic, and its flags are an enum that Swift would import as one closed value.
static inline struct MHD_Daemon *_Nullable matinee_mhd_start(
  int socket, unsigned int connections, unsigned int idle_seconds, size_t memory, void *_Nullable (*opened)(void *_Nullable, const char *, struct MHD_Connection *),
  MHD_AccessHandlerCallback _Nonnull answer, MHD_RequestCompletedCallback _Nonnull completed, MHD_NotifyConnectionCallback _Nonnull connection,
  struct matinee_mhd_logger *logger, void *_Nullable context
) {
  return MHD_start_daemon(
    MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0, NULL, NULL, answer, context,
    MHD_OPTION_EXTERNAL_LOGGER, matinee_mhd_log, logger,
    MHD_OPTION_LISTEN_SOCKET, (MHD_socket)socket,
    MHD_OPTION_CONNECTION_LIMIT, connections,
    MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds,
    MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory,
    // 0.9.75 answers what strictness refuses with two heads; a missing Host is refused by us.
    MHD_OPTION_STRICT_FOR_CLIENT, 0,
    MHD_OPTION_URI_LOG_CALLBACK, opened, context,
    MHD_OPTION_NOTIFY_COMPLETED, completed, context,
    MHD_OPTION_NOTIFY_CONNECTION, connection, context,
    MHD_OPTION_END);
}

// MHD_get_connection_info is variadic.
static inline int matinee_mhd_descriptor(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? (int)info->connect_fd : -1;
}

static inline const struct sockaddr *_Nullable matinee_mhd_client(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  return info ? info->client_addr : NULL;
}

// How many bytes the head of the request took; 0 when that is not known.
static inline size_t matinee_mhd_head_size(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return info ? info->header_size : 0;
}

// How many bytes of a connection were read so far: what came less what the kernel still has.
static inline int64_t matinee_mhd_read_bytes(int socket) {
  // The kernel's tcp_info, as far as tcpi_bytes_received; that of glibc 2.36 ends before it.
  struct { char before[128]; uint64_t received; } info = { .received = 0 };
  socklen_t size = sizeof info;
  int unread = 0;
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 || size < sizeof info || ioctl(socket, FIONREAD, &unread) != 0) return 0;
  return (int64_t)info.received - unread;
}

#pragma clang assume_nonnull end
