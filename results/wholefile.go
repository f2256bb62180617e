package results

import "io"

// A wholeFile appends to a file what is given to one Write as a whole, or nothing
// and returns an error: when a disk becomes full in the middle, it takes the
// beginning back. What is written after there is room again then stands where it
// should.
type wholeFile struct {
	file appender
	size int64
}

// An appender is an *os.File that appends.
type appender interface {
	io.WriteCloser
	Truncate(size int64) error
}

// Write implements io.Writer. n is 0 or len(p), or what could not be taken back.
func (f *wholeFile) Write(p []byte) (n int, err error) {
	n, err = f.file.Write(p)
	if err != nil && n > 0 && f.file.Truncate(f.size) == nil {
		n = 0
	}
	f.size += int64(n)
	return n, err
}

// Close implements io.Closer.
func (f *wholeFile) Close() error { return f.file.Close() }
