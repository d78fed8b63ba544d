// All connections, for the `broadcast` of engines without their own. These engines write to a connection one message at a time.
#pragma once

#include <deque>
#include <memory>
#include <set>

#include "contract.hpp"

namespace contract {

// Bytes before a message that an engine may overwrite: libwebsockets puts the frame's header there, the same for all connections.
constexpr std::size_t room_b = 16;

class Message {
 public:
  Message(std::string_view bytes, bool is_text) : is_text(is_text) {
    storage_.reserve(room_b + bytes.size());
    storage_.append(room_b, '\0').append(bytes);
  }
  char* data() { return storage_.data() + room_b; }
  std::size_t size() const { return storage_.size() - room_b; }
  const bool is_text;

 private:
  std::string storage_;
};

// A connection and its queue. Several queues share one copy of a message.
class Member {
 public:
  Member() = default;
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;
  virtual ~Member() { everyone_.erase(this); }

  void join() { everyone_.insert(this); }

  static void tell_everyone(std::string_view bytes, bool is_text) {
    auto message = std::make_shared<Message>(bytes, is_text);
    for (Member* each : everyone_) each->tell(message);
  }

  void tell(std::shared_ptr<Message> message) {
    unsent_b_ += message->size();
    waiting_.push_back(std::move(message));
    if (unsent_b_ > unsent_max_b) end();
    else if (waiting_.size() == 1) send(*waiting_.front());
  }

  // The message to send now, if any.
  Message* next() { return waiting_.empty() ? nullptr : waiting_.front().get(); }

  // To be called once the message passed to `send` has been sent.
  void sent() {
    unsent_b_ -= waiting_.front()->size();
    waiting_.pop_front();
    if (!waiting_.empty()) send(*waiting_.front());
  }

 private:
  // Begins to send; the next call comes only after `sent`.
  virtual void send(Message& message) = 0;
  // Closes the connection, because the client does not read. It must not be destroyed before this returns.
  virtual void end() = 0;

  static inline std::set<Member*> everyone_;
  std::deque<std::shared_ptr<Message>> waiting_;
  std::size_t unsent_b_ = 0;
};

}  // namespace contract
