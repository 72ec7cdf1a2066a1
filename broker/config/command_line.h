// CommandLine: what stands behind wharfd's name: to serve, or what to do with the configuration.
// Used by main.cc on the main thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "broker/config/entry.h"
#include "broker/config/restore_request.h"

namespace wharf::config {

class CommandLine {
 public:
  enum class Verb : std::uint8_t { kServe, kCheck, kPrint, kExample, kRecover, kRestore };

  CommandLine();

  // The exit code, if there is nothing to do any more: --help was asked for, or it is bad usage and
  // told.
  std::optional<int> Parse(int argc, const char* const* argv);

  Verb verb() const;
  // Of --config or its variable; empty if there is none.
  const std::string& file() const { return file_; }
  // Of kRecover: what others had and this node has not may be lost.
  bool accepts_loss() const { return accepts_loss_; }
  const RestoreRequest& restore() const { return restoring_; }
  std::vector<Entry> Entries() const;

 private:
  void AddFlags();
  void AddVerbs();
  void AddRestore();
  void AddUntil(CLI::App& restore);
  int Refuse(const CLI::ParseError& error);

  CLI::App app_;
  std::string file_;
  // By the place of the key in the table.
  std::vector<const CLI::Option*> flags_;
  const CLI::App* check_ = nullptr;
  const CLI::App* print_ = nullptr;
  const CLI::App* example_ = nullptr;
  const CLI::App* recover_ = nullptr;
  bool accepts_loss_ = false;
  const CLI::App* restore_ = nullptr;
  RestoreRequest restoring_;
};

}  // namespace wharf::config
