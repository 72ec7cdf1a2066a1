// MessageSource: where the messages of `wharf send` come from: arguments, files, lines, lines of
// JSON.
//
// Reads as it goes, so that a file of any length can be sent; of a file that is one message, or of
// one line, at most 256 MiB, more than any queue takes. Used on the main thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "storage/base/status.h"
#include "tools/wharf/terminal/interruption.h"
#include "wharf/v1/message.pb.h"

namespace wharf::tool {

struct MessageSource {
  enum class Unit {
    kFile,      // A file is a message.
    kLine,      // A line is a message, without its line feed and a carriage return before that.
    kJsonLine,  // A line is a message as a JSON object.
  };
  std::vector<std::string> bodies;
  // "-" is the standard input.
  std::vector<std::string> files;
  Unit unit = Unit::kFile;
};

// False: no more messages are wanted.
using MessageSink = std::function<bool(v1::Message&& message)>;

// Every message has the properties of `base`. ArgumentError, naming the file and the line, at the
// first that is bad; what was before it has been delivered, but nothing of a file that cannot be
// read, and nothing at all if one of the files cannot be opened. Ends early when `interruption` is
// raised.
Status ReadMessages(const MessageSource& source, const v1::Message& base,
                    const Interruption& interruption, const MessageSink& sink);

}  // namespace wharf::tool
