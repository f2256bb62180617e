package traffic

import "github.com/brokerbench/brokerbench/internal/process"

// A Watch follows the connections of nodes. It is used by one goroutine at a time. The zero
// value is ready. It keeps nothing open between two calls.
type Watch struct {
	nodes []node
	calls int
	calm  int // looks in a row that found nothing new: until there are some, each call looks
}

// A node is what is known of one.
type node struct {
	began     bool
	unknown   bool // which connections are its own cannot be seen
	missed    bool // it was not known in the last call: what this one counts began nobody knows when
	processes []process.ID
	open      map[socketID]connection
}

// A socketID names a connection, in the order of the kernel's inet_diag_sockid: its ends, its
// interface, and a cookie that no other one has.
type socketID [48]byte

// A connection is one that the kernel knows.
type connection struct {
	family  uint8
	id      socketID
	inode   uint32 // by which processes have it; 0: none has
	carried Bytes  // since it began, when it was counted last
	place   string // its network namespace
	pids    []int  // processes there
}
