#include "../cpp/contract.hpp"

#include <cerrno>
#include <cstring>
#include <netdb.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <unordered_map>

constexpr const char* name = "tcp-reference";
constexpr int on = 1;

static const int polled = epoll_create1(EPOLL_CLOEXEC);
static char chunk[65'536];
// Unsent bytes by connection. While a connection has some, we do not read from it.
static std::unordered_map<int, std::string> unsent;

static void watch(int socket, std::uint32_t events, int how) {
  epoll_event wanted{events, {.fd = socket}};
  epoll_ctl(polled, how, socket, &wanted);
}

static void answer(int socket, const char* bytes, ssize_t length) {
  const ssize_t sent = send(socket, bytes, length, MSG_NOSIGNAL);
  if (sent == length || (sent < 0 && errno != EAGAIN)) return; // if the client has gone, the next read fails
  const ssize_t done = std::max<ssize_t>(sent, 0);
  unsent[socket] = std::string(bytes + done, length - done);
  watch(socket, EPOLLOUT, EPOLL_CTL_MOD);
}

static void serve(int socket, std::uint32_t events) {
  if (const auto held = unsent.extract(socket); held && (events & EPOLLOUT)) {
    watch(socket, EPOLLIN, EPOLL_CTL_MOD);
    return answer(socket, held.mapped().data(), held.mapped().size());
  }
  const ssize_t length = recv(socket, chunk, sizeof chunk, 0);
  if (length > 0) return answer(socket, chunk, length);
  if (length == 0 || errno != EAGAIN) close(socket);
}

static void welcome(int socket) {
  if (socket < 0 && (errno == EMFILE || errno == ENFILE)) contract::fail(name, contract::refused, std::strerror(errno), "raise the limit of open files");
  if (socket < 0) return;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  watch(socket, EPOLLIN, EPOLL_CTL_ADD);
}

int main() {
  const contract::Settings settings = contract::read_settings(name, {{"echo", contract::echo}});
  addrinfo hints{AI_NUMERICHOST, AF_UNSPEC, SOCK_STREAM}, *found;
  getaddrinfo(settings.host.c_str(), std::to_string(settings.port).c_str(), &hints, &found);
  const int listener = socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(listener, found->ai_addr, found->ai_addrlen) || listen(listener, SOMAXCONN)) {
    contract::fail(name, contract::refused, "can't listen on " + contract::place(settings) + ": " + std::strerror(errno), "use a free port of this host");
  }
  watch(listener, EPOLLIN, EPOLL_CTL_ADD);
  contract::print_ready(name, PACKAGE_VERSION, settings);
  for (epoll_event ready[1024];;) {
    for (int each = 0, count = epoll_wait(polled, ready, 1024, -1); each < count; each++) {
      if (const int socket = ready[each].data.fd; socket == listener) welcome(accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
      else serve(socket, ready[each].events);
    }
  }
}
