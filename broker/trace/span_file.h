// SpanFile: requests of OTLP in a file, a line each, as the file exporter of OpenTelemetry's
// collector writes them.
//
// Opened anew for each line, so that it can be moved away at any time. Made by main.cc, used on the
// exporter's thread.
#pragma once

#include <string>

#include "storage/base/status.h"

namespace wharf::trace {

class SpanFile {
 public:
  explicit SpanFile(std::string path) : path_(std::move(path)) {}

  // Makes it if it is not there; why that cannot be, for the start.
  Status Check() const { return Write(""); }
  // All of the line or nothing.
  Status Append(const std::string& line) const { return Write(line + "\n"); }

 private:
  Status Write(const std::string& bytes) const;

  const std::string path_;
};

}  // namespace wharf::trace
