// TlsCredentials: how gRPC gets the certificates that there are now, for each connection anew.
//
// gRPC's own ways read them once, or watch files without looking whether what is in them fits. Its
// core asks a function before each handshake; what that needs of C++ is here. Used by the Server.
#pragma once

#include <memory>

#include <grpcpp/security/server_credentials.h>

#include "broker/doors/common/certificates.h"

namespace wharf {

std::shared_ptr<grpc::ServerCredentials> TlsCredentials(
    std::shared_ptr<const Certificates> certificates);

}  // namespace wharf
