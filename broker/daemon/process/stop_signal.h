// StopSignal: waits on the main thread for the first reason to stop: a signal, a commit log that
// closed, or a folder that must be opened anew; and reloads what it is told to meanwhile.
//
// One for the process, made by main.cc: a signal that comes between two brokers, while the folder
// is opened anew, is heard all the same. The log tells it on a thread of its own.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include "storage/commit_log.h"

namespace wharf {

// Signals that mean nothing to wharfd end it no more: a terminal that closes (HUP), USR1, USR2, and
// a log that nobody reads (PIPE). For the start of main, before there are threads.
void IgnoreSignals();

class StopSignal final : public CommitLog::Observer {
 public:
  // Of a broker that begins; what was said of the one before is forgotten, but for a signal. From
  // the first one on TERM and INT do not end the process at once, and HUP, USR1 and USR2 are
  // logged: there is nothing to reload.
  void Begin();
  // Between two brokers: whether a signal has come that ends the process, so that none begins.
  bool HasCome();
  // From now on HUP means this, on the thread that waits.
  void OnHangUp(std::function<void()> reload) { reload_ = std::move(reload); }

  void OnOpen() override {}
  void OnClosed(Status reason) override;
  // What is in the data folder has changed, and everything is to be opened anew. Any thread.
  void OnReopen();

  // Ok after a signal, and if everything is to be opened anew; else why the broker cannot go on.
  Status Wait();
  // After Wait: the broker is to begin again.
  bool begins_again() const { return begins_again_; }

 private:
  void ListenToOthers();
  void OnOther(int signal);
  // On the thread that waits, if that is still for the same broker.
  void Post(std::function<void()> note);

  boost::asio::io_context io_;
  // Absent: no broker has begun.
  std::optional<boost::asio::signal_set> stops_;
  std::optional<boost::asio::signal_set> others_;
  // Changed while nobody can tell anything.
  int broker_ = 0;
  std::function<void()> reload_;
  Status failure_;
  bool begins_again_ = false;
  bool has_come_ = false;
};

}  // namespace wharf
