// payloads: what stands in the core for the data of batches, which stay with C++.
//
// In an entry: the number of its payload and how many bytes that has. In a message on its way, whose
// payloads travel behind it: a mark that there is one, because numbers mean nothing to others.
package main

// #include "wharf_raft.h"
import "C"

import (
	"encoding/binary"

	"go.etcd.io/etcd/raft/raftpb"
)

const numberBytes, sizeBytes = 8, 4

var travels = []byte{1}

func numbered(payload uint64, size uint32) []byte {
	data := make([]byte, numberBytes+sizeBytes)
	binary.LittleEndian.PutUint64(data, payload)
	binary.LittleEndian.PutUint32(data[numberBytes:], size)
	return data
}

func hasPayload(entry *raftpb.Entry) bool {
	return entry.Type == raftpb.EntryNormal && len(entry.Data) > 0
}

func numberOf(entry *raftpb.Entry) uint64 { return binary.LittleEndian.Uint64(entry.Data) }

// How much of a message an entry takes.
func weightOf(entry *raftpb.Entry) uint64 {
	if hasPayload(entry) {
		return uint64(binary.LittleEndian.Uint32(entry.Data[numberBytes:]))
	}
	return uint64(len(entry.Data))
}

// Of a message that came: its payloads are numbered. False: it has not as many.
func number(entries []raftpb.Entry, first uint64, sizes []C.uint32_t) bool {
	next := 0
	for i := range entries {
		if !hasPayload(&entries[i]) {
			continue
		}
		if next == len(sizes) {
			return false
		}
		entries[i].Data = numbered(first+uint64(next), uint32(sizes[next]))
		next++
	}
	return next == len(sizes)
}

// As they travel, and the numbers of the payloads that go behind them.
func toTravel(entries []raftpb.Entry) ([]raftpb.Entry, []C.uint64_t) {
	marked := make([]raftpb.Entry, len(entries))
	copy(marked, entries)
	var payloads []C.uint64_t
	for i := range marked {
		if hasPayload(&marked[i]) {
			payloads = append(payloads, C.uint64_t(numberOf(&marked[i])))
			marked[i].Data = travels
		}
	}
	return marked, payloads
}

// How many of the first entries travel together; at least one, if there is one.
func together(entries []raftpb.Entry, bytesMax uint64) int {
	bytes := uint64(0)
	for i := range entries {
		bytes += weightOf(&entries[i])
		if i > 0 && bytes > bytesMax {
			return i
		}
	}
	return len(entries)
}
