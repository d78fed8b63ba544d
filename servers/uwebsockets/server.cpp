#include <App.h>

#include "../cpp/contract.hpp"

constexpr const char* name = "uwebsockets";

constexpr const char* everyone = "everyone"; // a topic

struct Nothing {}; // no data per connection

int main() {
  contract::Settings settings = contract::read_settings(name, contract::with_broadcast());
  uWS::App app;
  auto join = [&](auto* socket) {
    if (!settings.behaviour) socket->subscribe(everyone);
  };
  auto answer = [&](auto* socket, std::string_view message, uWS::OpCode type) {
    if (!settings.behaviour) app.publish(everyone, message, type); // the socket's own publish would skip the sender
    else if (auto pong = settings.behaviour(message)) socket->send(*pong, type);
  };
  auto report = [&](us_listen_socket_t* listening) {
    std::string what = "cannot listen on " + contract::place(settings);
    if (!listening) contract::fail(name, contract::refused, what, "free it, or ask for another");
    contract::print_ready(name, PACKAGE_VERSION, settings);
  };
  app.ws<Nothing>("/*", {
                             .compression = uWS::DISABLED,
                             .maxPayloadLength = contract::message_max_b,
                             .idleTimeout = 0,
                             .maxBackpressure = contract::unsent_max_b,
                             .closeOnBackpressureLimit = true,
                             .sendPingsAutomatically = false,
                             .open = join,
                             .message = answer,
                         })
      .listen(settings.host, settings.port, LIBUS_LISTEN_EXCLUSIVE_PORT, report)
      .run();
}
