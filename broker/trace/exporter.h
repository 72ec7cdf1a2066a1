// Exporter: brings spans to who collects them, a batch at a time, on a thread of its own.
//
// Each batch has one attempt: what does not arrive is lost, counted, and told the log once in a
// while. Made and ended by main.cc; outlives the broker, whose engine pushes to its tracer.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "broker/trace/tracer.h"
#include "storage/base/log_limit.h"
#include "storage/base/mutex.h"
#include "storage/base/random.h"
#include "storage/base/status.h"
#include "storage/base/time.h"

namespace wharf::trace {

class Exporter {
 public:
  // Brings one request of OTLP, in JSON, to its place; on the exporter's thread. It may take a few
  // seconds, and ends soon when it is told to hurry.
  using Deliver = std::function<Status(const std::string& request, const std::stop_token& hurry)>;

  struct Options {
    // Of the broker, as the spans tell it.
    std::string version{};
    Sampling sampling = Sampling::kParent;
    Tracer::Limits limits{};
    // What is no full batch leaves so often.
    Duration pace = std::chrono::seconds(1);
    // In which a stop still delivers what there is.
    Duration grace = std::chrono::seconds(1);
  };

  Exporter(Options options, std::unique_ptr<Random> random, Deliver deliver);
  ~Exporter() { Stop(); }
  // Takes no more spans, and ends the thread; what cannot be delivered in time is lost.
  void Stop();

  Tracer& tracer() { return tracer_; }

 private:
  void Run();
  // False: there are no spans.
  bool ExportBatch();

  const Options options_;
  const std::unique_ptr<Random> random_;
  const Deliver deliver_;
  Tracer tracer_;
  LogLimit limit_{std::chrono::minutes(1)};
  std::stop_source hurry_;

  Mutex mutex_;
  std::condition_variable_any ended_;
  bool has_ended_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // Last, so that it starts when everything else is there.
};

}  // namespace wharf::trace
