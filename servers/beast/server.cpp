#include <boost/asio.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/websocket.hpp>

#include "../cpp/crowd.hpp"

using boost::asio::ip::tcp;
using namespace boost::beast;

constexpr const char* name = "beast";

// A connection. Each pending operation holds a reference to it; when none is pending, it is destroyed, which closes it.
class Conversation : public std::enable_shared_from_this<Conversation>, contract::Member {
 public:
  Conversation(tcp::socket socket, const contract::Behaviour& behaviour) : socket_(std::move(socket)), behaviour_(behaviour) {
    socket_.read_message_max(contract::message_max_b);
    socket_.set_option(websocket::stream_base::timeout{std::chrono::seconds(30), websocket::stream_base::none(), false});
  }

  void accept() {
    socket_.async_accept([self = shared_from_this()](error_code gone) { if (!gone) self->read(); });
  }

 private:
  void read() {
    if (!behaviour_) join();
    buffer_.clear();
    socket_.async_read(buffer_, [self = shared_from_this()](error_code gone, std::size_t) { if (!gone) self->answer(); });
  }

  void answer() {
    std::string_view message{static_cast<const char*>(buffer_.data().data()), buffer_.size()};
    if (!behaviour_) return tell_everyone(message, socket_.got_text()), read();
    auto answer = behaviour_(message);
    if (!answer) return read();
    socket_.text(socket_.got_text());
    socket_.async_write(boost::asio::buffer(*answer), [self = shared_from_this()](error_code gone, std::size_t) { if (!gone) self->read(); });
  }

  void send(contract::Message& message) override {
    socket_.text(message.is_text);
    auto then = [self = shared_from_this()](error_code gone, std::size_t) { if (!gone) self->sent(); };
    socket_.async_write(boost::asio::buffer(message.data(), message.size()), then);
  }

  void end() override { socket_.next_layer().close(); }

  websocket::stream<tcp::socket> socket_;
  const contract::Behaviour& behaviour_;
  flat_buffer buffer_; // holds the message until its answer is sent: the answer may be the same bytes
};

void accept(tcp::acceptor& acceptor, const contract::Behaviour& behaviour) {
  acceptor.async_accept([&](error_code failed, tcp::socket socket) {
    if (failed) throw boost::system::system_error(failed);
    std::make_shared<Conversation>(std::move(socket), behaviour)->accept();
    accept(acceptor, behaviour);
  });
}

int main() {
  contract::Settings settings = contract::read_settings(name, contract::with_broadcast());
  try {
    boost::asio::io_context context{1};
    tcp::acceptor acceptor{context, tcp::endpoint(boost::asio::ip::make_address(settings.host), settings.port)};
    acceptor.set_option(tcp::no_delay(true)); // connections inherit it
    accept(acceptor, settings.behaviour);
    contract::print_ready(name, PACKAGE_VERSION, settings);
    context.run();
  } catch (const std::exception& error) {
    contract::fail(name, contract::refused, contract::place(settings) + ": " + error.what(), "free the port, or ask for less or another");
  }
}
