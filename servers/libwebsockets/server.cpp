#include <deque>
#include <libwebsockets.h>

#include "../cpp/contract.hpp"

constexpr const char* name = "libwebsockets";

// What is kept of a connection, in the memory that libwebsockets has for it.
struct Conversation {
  std::string message;
  std::deque<std::pair<std::string, lws_write_protocol>> answers; // each behind the room that lws_write asks for
  std::size_t unsent_b = 0;
};

contract::Settings settings;

// To end a connection is to return -1.
int take(Conversation& of, lws* socket, std::string_view bytes) {
  of.message += bytes;
  if (of.message.size() > contract::message_max_b) return -1;
  if (!lws_is_final_fragment(socket)) return 0;
  if (auto answer = settings.behaviour(of.message)) {
    of.answers.emplace_back(std::string(LWS_PRE, '\0').append(*answer), lws_frame_is_binary(socket) ? LWS_WRITE_BINARY : LWS_WRITE_TEXT);
    of.unsent_b += answer->size();
    lws_callback_on_writable(socket);
  }
  of.message.clear();
  return of.unsent_b > contract::unsent_max_b ? -1 : 0;
}

int send(Conversation& of, lws* socket) {
  if (of.answers.empty()) return 0;
  auto& [bytes, type] = of.answers.front();
  const std::size_t length = bytes.size() - LWS_PRE;
  if (lws_write(socket, reinterpret_cast<unsigned char*>(bytes.data()) + LWS_PRE, length, type) < 0) return -1;
  of.unsent_b -= length;
  of.answers.pop_front();
  if (!of.answers.empty()) lws_callback_on_writable(socket);
  return 0;
}

int converse(lws* socket, lws_callback_reasons reason, void* user, void* bytes, std::size_t length) {
  auto* conversation = static_cast<Conversation*>(user);
  switch (reason) {
    case LWS_CALLBACK_ESTABLISHED: new (user) Conversation; return 0;
    case LWS_CALLBACK_CLOSED: conversation->~Conversation(); return 0;
    case LWS_CALLBACK_RECEIVE: return take(*conversation, socket, {static_cast<const char*>(bytes), length});
    case LWS_CALLBACK_SERVER_WRITEABLE: return send(*conversation, socket);
    default: return lws_callback_http_dummy(socket, reason, user, bytes, length);
  }
}

int main() {
  settings = contract::read_settings(name, contract::behaviours);
  lws_set_log_level(LLL_ERR, nullptr);
  const lws_protocols protocols[] = {{name, converse, sizeof(Conversation), 0, 0, nullptr, 0}, {}};
  const lws_retry_bo_t unchecked{};
  lws_context_creation_info info{};
  info.iface = settings.host.c_str();
  info.port = settings.port;
  info.protocols = protocols;
  info.retry_and_idle_policy = &unchecked;
  info.options = LWS_SERVER_OPTION_LIBUV | LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND;
  if (settings.host.find(':') == std::string::npos) info.options |= LWS_SERVER_OPTION_DISABLE_IPV6; // else it binds to all addresses
  lws_context* context = lws_create_context(&info);
  if (!context) contract::fail(name, contract::refused, "cannot listen on port " + std::to_string(settings.port), "free it, or ask for another");
  contract::stop_when_asked(); // it has set handlers of its own
  contract::print_ready(name, PACKAGE_VERSION, settings);
  while (lws_service(context, 0) >= 0) {}
}
