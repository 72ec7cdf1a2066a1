// FrameText: what stands in a stream of AMQP, as text, one line for each frame:
//
//   header amqp | sasl sasl-outcome{code=ok} | 0 open{container-id="c"} | 3 transfer{...} b'6162' |
//   empty
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "broker/doors/amqp/endpoint/frame_reader.h"

namespace wharf::amqp {

// Reads on where it stopped, so that a stream may come in pieces.
class FrameText {
 public:
  std::vector<std::string> Read(std::string_view bytes);

 private:
  bool ReadHeader(std::vector<std::string>& lines);

  FrameReader reader_;
};

}  // namespace wharf::amqp
