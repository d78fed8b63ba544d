#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/websocket.hpp>
#include <memory>

#include "../cpp/contract.hpp"

namespace websocket = boost::beast::websocket;
using boost::asio::ip::tcp;
using boost::beast::error_code;

constexpr const char* name = "beast";

// A connection. Whoever waits for it to do something holds it; when nothing is waited for any more it is closed.
class Conversation : public std::enable_shared_from_this<Conversation> {
 public:
  Conversation(tcp::socket socket, const contract::Behaviour& behaviour) : socket_(std::move(socket)), behaviour_(behaviour) {
    error_code ignored; // the client may be gone
    socket_.next_layer().set_option(tcp::no_delay(true), ignored);
    socket_.read_message_max(contract::message_max_b);
    socket_.set_option(websocket::stream_base::timeout{std::chrono::seconds(30), websocket::stream_base::none(), false});
  }

  void accept() {
    socket_.async_accept([self = shared_from_this()](error_code gone) { if (!gone) self->read(); });
  }

 private:
  void read() {
    buffer_.clear();
    socket_.async_read(buffer_, [self = shared_from_this()](error_code gone, std::size_t) { if (!gone) self->answer(); });
  }

  void answer() {
    auto answer = behaviour_({static_cast<const char*>(buffer_.data().data()), buffer_.size()});
    if (!answer) return read();
    socket_.text(socket_.got_text());
    socket_.async_write(boost::asio::buffer(*answer), [self = shared_from_this()](error_code gone, std::size_t) { if (!gone) self->read(); });
  }

  websocket::stream<tcp::socket> socket_;
  const contract::Behaviour& behaviour_;
  boost::beast::flat_buffer buffer_; // holds the message until its answer, which may be the same bytes, is sent
};

void accept(tcp::acceptor& acceptor, const contract::Behaviour& behaviour) {
  acceptor.async_accept([&](error_code failed, tcp::socket socket) {
    if (failed) throw boost::system::system_error(failed);
    std::make_shared<Conversation>(std::move(socket), behaviour)->accept();
    accept(acceptor, behaviour);
  });
}

int main() {
  contract::Settings settings = contract::read_settings(name, contract::behaviours);
  try {
    boost::asio::io_context context{1};
    tcp::acceptor acceptor{context, tcp::endpoint(boost::asio::ip::make_address(settings.host), settings.port)};
    accept(acceptor, settings.behaviour);
    contract::print_ready(name, PACKAGE_VERSION, settings);
    context.run();
  } catch (const std::exception& error) {
    contract::fail(name, contract::refused, error.what(), "free the port, or ask for less or another");
  }
}
