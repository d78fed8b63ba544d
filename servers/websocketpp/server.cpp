#include <websocketpp/concurrency/none.hpp>
#include <websocketpp/config/asio_no_tls.hpp>
#include <websocketpp/server.hpp>

#include <set>

#include "../cpp/contract.hpp"

using Base = websocketpp::config::asio;

// One thread needs no locks.
struct OneThread : Base {
  using concurrency_type = websocketpp::concurrency::none;
  static bool const enable_multithreading = false; // no strand either
  struct transport_config : Base::transport_config {
    using concurrency_type = websocketpp::concurrency::none;
    static bool const enable_multithreading = false;
  };
  using transport_type = websocketpp::transport::asio::endpoint<transport_config>;
};

using Server = websocketpp::server<OneThread>;
using Sockets = std::set<websocketpp::connection_hdl, std::owner_less<websocketpp::connection_hdl>>;

constexpr const char* name = "websocketpp";

int main() {
  contract::Settings settings = contract::read_settings(name, contract::with_broadcast());
  try {
    Server server;
    server.clear_access_channels(websocketpp::log::alevel::all);
    server.clear_error_channels(websocketpp::log::elevel::all);
    server.init_asio();
    server.set_reuse_addr(true);
    server.set_max_message_size(contract::message_max_b);
    server.set_tcp_post_init_handler([&server](websocketpp::connection_hdl socket) {
      websocketpp::lib::asio::error_code ignored;
      server.get_con_from_hdl(socket)->get_raw_socket().set_option(websocketpp::lib::asio::ip::tcp::no_delay(true), ignored);
    });
    auto send = [&server](const websocketpp::connection_hdl& socket, std::string_view text, websocketpp::frame::opcode::value kind) {
      websocketpp::lib::error_code gone; // ignored: the client may have gone
      server.send(socket, text.data(), text.size(), kind, gone);
      if (auto connection = server.get_con_from_hdl(socket, gone); connection && connection->get_buffered_amount() > contract::unsent_max_b)
        connection->terminate(gone);
    };
    Sockets everyone; // for `broadcast`
    if (!settings.behaviour) {
      server.set_open_handler([&](websocketpp::connection_hdl socket) { everyone.insert(socket); });
      server.set_close_handler([&](websocketpp::connection_hdl socket) { everyone.erase(socket); });
    }
    server.set_message_handler([&](websocketpp::connection_hdl socket, Server::message_ptr message) {
      if (!settings.behaviour) {
        for (auto each = everyone.begin(); each != everyone.end();) send(*each++, message->get_payload(), message->get_opcode());
      } else if (auto answer = settings.behaviour(message->get_payload())) {
        send(socket, *answer, message->get_opcode());
      }
    });
    server.listen(websocketpp::lib::asio::ip::tcp::endpoint(websocketpp::lib::asio::ip::make_address(settings.host), settings.port));
    server.start_accept();
    contract::print_ready(name, PACKAGE_VERSION, settings);
    server.run();
  } catch (const std::exception& error) {
    contract::fail(name, contract::refused, contract::place(settings) + ": " + error.what(), "free the port, or ask for less or another");
  }
}
