// StopSignal: waits on the main thread for the first reason to stop: a signal, or a commit log that
// closed. Made by main.cc; the log tells it on a thread of its own.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include "storage/commit_log.h"

namespace wharf {

class StopSignal final : public CommitLog::Observer {
 public:
  // From now on SIGTERM and SIGINT do not end the process.
  StopSignal();

  void OnOpen() override {}
  void OnClosed(Status reason) override;

  // Ok after a signal, else why the broker cannot go on.
  Status Wait();

 private:
  boost::asio::io_context io_;
  boost::asio::signal_set signals_;
  Status failure_;
};

}  // namespace wharf
