#include <libwebsockets.h>

#include "../cpp/crowd.hpp"

constexpr const char* name = "libwebsockets";
static_assert(contract::room_b >= LWS_PRE);

// The state of a connection, in memory that libwebsockets allocates for it.
struct Conversation : contract::Member {
  explicit Conversation(lws* socket) : socket(socket) {}
  void send(contract::Message&) override { lws_callback_on_writable(socket); }
  void end() override { lws_set_timeout(socket, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_ASYNC); }

  lws* socket;
  std::string message;
};

contract::Settings settings;

// Returns -1 to close the connection.
int take(Conversation& of, std::string_view bytes) {
  of.message += bytes;
  if (of.message.size() > contract::message_max_b) return -1;
  if (!lws_is_final_fragment(of.socket)) return 0;
  const bool is_text = !lws_frame_is_binary(of.socket);
  if (!settings.behaviour) contract::Member::tell_everyone(of.message, is_text);
  else if (auto answer = settings.behaviour(of.message)) of.tell(std::make_shared<contract::Message>(*answer, is_text));
  of.message.clear();
  return 0;
}

int write(Conversation& of) {
  contract::Message* next = of.next();
  if (!next) return 0;
  auto* bytes = reinterpret_cast<unsigned char*>(next->data());
  if (lws_write(of.socket, bytes, next->size(), next->is_text ? LWS_WRITE_TEXT : LWS_WRITE_BINARY) < 0) return -1;
  of.sent();
  return 0;
}

int converse(lws* socket, lws_callback_reasons reason, void* user, void* bytes, std::size_t length) {
  auto* conversation = static_cast<Conversation*>(user);
  switch (reason) {
    case LWS_CALLBACK_ESTABLISHED:
      if (auto* begun = new (user) Conversation(socket); !settings.behaviour) begun->join();
      return 0;
    case LWS_CALLBACK_CLOSED: conversation->~Conversation(); return 0;
    case LWS_CALLBACK_RECEIVE: return take(*conversation, {static_cast<const char*>(bytes), length});
    case LWS_CALLBACK_SERVER_WRITEABLE: return write(*conversation);
    default: return lws_callback_http_dummy(socket, reason, user, bytes, length);
  }
}

int main() {
  settings = contract::read_settings(name, contract::with_broadcast());
  lws_set_log_level(LLL_ERR, nullptr);
  const lws_protocols protocols[] = {{name, converse, sizeof(Conversation), 0, 0, nullptr, 0}, {}};
  const lws_retry_bo_t unchecked{};
  lws_context_creation_info info{};
  info.iface = settings.host.c_str();
  info.port = settings.port;
  info.protocols = protocols;
  info.retry_and_idle_policy = &unchecked;
  info.options = LWS_SERVER_OPTION_LIBUV | LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND;
  if (settings.host.find(':') == std::string::npos) info.options |= LWS_SERVER_OPTION_DISABLE_IPV6; // otherwise it binds to all addresses
  lws_context* context = lws_create_context(&info);
  if (!context) contract::fail(name, contract::refused, "cannot listen on " + contract::place(settings), "free it, or ask for another");
  contract::stop_when_asked(); // again: libwebsockets has set its own handlers
  contract::print_ready(name, PACKAGE_VERSION, settings);
  while (lws_service(context, 0) >= 0) {}
}
