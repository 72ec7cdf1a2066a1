// process: what concerns all cores of a process, and Go itself.
package main

// #include "wharf_raft.h"
import "C"

import (
	"math/rand"
	"runtime"
	"sync"
	"unsafe" // For go:linkname, too.

	_ "go.etcd.io/etcd/raft"
)

// The generator of election timeouts, as raft.go declares it.
type lockedRand struct {
	mu   sync.Mutex
	rand *rand.Rand
}

//go:linkname globalRand go.etcd.io/etcd/raft.globalRand
var globalRand *lockedRand

//export wharf_raft_seed
func wharf_raft_seed(seed C.int64_t) {
	globalRand.mu.Lock()
	defer globalRand.mu.Unlock()
	globalRand.rand = rand.New(rand.NewSource(int64(seed)))
}

// A thread of C enters Go by half a dozen system calls, each time (until Go 1.21). One of Go's own,
// which is in C for a while, comes back for nothing. It ends with its goroutine, because it is
// locked to it.
//
//export wharf_raft_run
func wharf_raft_run(self unsafe.Pointer, body unsafe.Pointer) {
	done := make(chan struct{})
	go func() {
		runtime.LockOSThread()
		runBody(body, self)
		close(done)
	}()
	<-done
}

// What GODEBUG sets, as runtime1.go declares it.
type debugVariable struct {
	name  string
	value *int32
}

//go:linkname debugVariables runtime.dbgvars
var debugVariables []debugVariable

// As GODEBUG=asyncpreemptoff=1, which a library that is opened late does not hear: Go would send
// signals to threads that are C++'s.
func init() {
	for _, variable := range debugVariables {
		if variable.name == "asyncpreemptoff" {
			*variable.value = 1
			return
		}
	}
	panic("this Go does not know asyncpreemptoff")
}

func main() {}
