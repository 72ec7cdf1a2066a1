// process: what concerns all cores of a process, and Go itself.
package main

// #include "wharf_raft.h"
import "C"

import (
	"math/rand"
	"sync"
	_ "unsafe" // For go:linkname.

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
