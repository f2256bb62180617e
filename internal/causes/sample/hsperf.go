package sample

import (
	"bytes"
	"encoding/binary"
	"errors"
)

var errNoCounters = errors.New("the JVM keeps no counters: it runs with -XX:-UsePerfData or -XX:+PerfDisableSharedMem, or in another file system")

// The layout of hsperfdata: see PerfDataPrologue and PerfDataEntry in HotSpot's perfMemory.hpp and perfData.hpp.
const (
	perfMagic    = 0xcafec0c0 // big-endian in any case
	perfPrologue = 32
	perfEntry    = 20
)

// counters calls f for each counter of 64 bits, with its place in the file. It ignores what is not of that layout.
func counters(text []byte, f func(name string, at, value int64)) {
	if len(text) < perfPrologue || binary.BigEndian.Uint32(text) != perfMagic {
		return
	}
	var order binary.ByteOrder = binary.BigEndian
	if text[4] == 1 {
		order = binary.LittleEndian
	}
	entry := int64(order.Uint32(text[24:]))
	for range order.Uint32(text[28:]) {
		if entry < perfPrologue || entry+perfEntry > int64(len(text)) {
			return
		}
		e := text[entry:]
		length, name, data := int64(order.Uint32(e)), int64(order.Uint32(e[4:])), int64(order.Uint32(e[16:]))
		at := entry + data
		if length < perfEntry || entry+name >= int64(len(text)) {
			return
		}
		if e[12] == 'J' && order.Uint32(e[8:]) == 0 && at+8 <= int64(len(text)) {
			text, _, _ := bytes.Cut(text[entry+name:], []byte{0})
			f(string(text), at, int64(order.Uint64(e[data:])))
		}
		entry += length
	}
}
