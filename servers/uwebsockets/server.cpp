#include <App.h>

#include "../cpp/contract.hpp"

constexpr const char* name = "uwebsockets";

struct Nothing {}; // is kept of a connection

int main() {
  contract::Settings settings = contract::read_settings(name, contract::behaviours);
  auto answer = [&](auto* socket, std::string_view message, uWS::OpCode type) {
    if (auto pong = settings.behaviour(message)) socket->send(*pong, type);
  };
  auto report = [&](us_listen_socket_t* listening) {
    std::string what = "cannot listen on port " + std::to_string(settings.port);
    if (!listening) contract::fail(name, contract::refused, what, "free it, or ask for another");
    contract::print_ready(name, PACKAGE_VERSION, settings);
  };
  uWS::App()
      .ws<Nothing>("/*", {
                             .compression = uWS::DISABLED,
                             .maxPayloadLength = contract::message_max_b,
                             .idleTimeout = 0,
                             .maxBackpressure = contract::unsent_max_b,
                             .closeOnBackpressureLimit = true,
                             .sendPingsAutomatically = false,
                             .message = answer,
                         })
      .listen(settings.host, settings.port, LIBUS_LISTEN_EXCLUSIVE_PORT, report)
      .run();
}
