// TinyDialler: dials another's broker, sends messages to a queue of it, takes as many from it
// again, and closes. Shows that the endpoint is understood where it dials.
#pragma once

#include <string>

#include "broker/doors/amqp/endpoint/connection.h"

namespace wharf::amqp {

class TinyDialler {
 public:
  TinyDialler(std::string address, int messages, Connection::Instant now);

  Connection& endpoint() { return endpoint_; }
  void Work();
  // All were accepted there, and all came back.
  bool has_succeeded() const { return accepted_ == messages_ && received_ == messages_; }

 private:
  void On(Event& event);
  void Attach(Session& session);
  void Send();

  const std::string address_;
  const int messages_;
  Connection endpoint_;
  LinkId sender_;
  int sent_ = 0;
  int accepted_ = 0;
  int received_ = 0;
};

}  // namespace wharf::amqp
