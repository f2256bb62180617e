package requester

import "errors"

// Keys say which key each message has, such as the one by which Kafka chooses its partition.
type Keys struct {
	Names []string // of all keys
	// Of returns the position in Names of the key of message seq of a connection; -1: it has none. It may be
	// called concurrently, and allocates nothing.
	Of func(conn uint32, seq uint64) int
}

// Name returns the key of a payload; false if it has none.
func (k Keys) Name(payload []byte) (string, bool) {
	if k.Of == nil {
		return "", false
	}
	stamp, ok := ReadStamp(payload)
	if !ok {
		return "", false
	}
	i := k.Of(stamp.Conn, stamp.Seq)
	if i < 0 {
		return "", false
	}
	return k.Names[i], true
}

// A KeyTaker is a [Factory] of a system whose messages can have keys. It is optional. Messages of one key that
// one connection sends keep their order.
type KeyTaker interface {
	Factory
	// TakeKeys sets the keys of all messages but the probes that connections send in Setup. It is called before
	// New and Describe; a second call has the same keys. An error says which of the settings in force do not
	// allow them.
	TakeKeys(k Keys) error
}

// Key gives the factory keys.
func Key(f Factory, k Keys) error {
	t, ok := As[KeyTaker](f)
	if !ok {
		return errors.New("brokerbench gives messages of this system no keys yet")
	}
	return t.TakeKeys(k)
}
