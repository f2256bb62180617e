// Package traffic counts the bytes that processes carry over TCP: Linux keeps no such counter of
// a process, but it does of each connection.
//
// What is counted is what the connections carry, without headers and without what was sent
// again. A connection counts while it is open: what it carried between the last count and its
// end is not seen. One that is found later than it began counts from its beginning.
package traffic

// Bytes are what connections carried.
type Bytes struct {
	Sent     int64 // and acknowledged by the other side
	Received int64
}
