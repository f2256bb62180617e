package file

import (
	"bytes"
	"errors"
	"syscall"
	"testing"
)

// A disk has room for so many bytes.
type disk struct {
	bytes.Buffer
	room   int
	broken error // of Truncate
}

func (d *disk) Write(p []byte) (int, error) {
	if len(p) <= d.room {
		d.room -= len(p)
		return d.Buffer.Write(p)
	}
	n, _ := d.Buffer.Write(p[:d.room])
	d.room = 0
	return n, syscall.ENOSPC
}

func (d *disk) Truncate(size int64) error {
	if d.broken != nil {
		return d.broken
	}
	d.room += d.Len() - int(size)
	d.Buffer.Truncate(int(size))
	return nil
}

func (d *disk) Close() error { return nil }

func TestALineIsWholeOrAbsentOnAFullDisk(t *testing.T) {
	d := &disk{room: 9}
	f := &wholeFile{file: d}
	if _, err := f.Write([]byte("one\n")); err != nil {
		t.Fatal(err)
	}
	if n, err := f.Write([]byte("two is long\n")); n != 0 || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("%d, %v", n, err)
	}
	if got := d.String(); got != "one\n" {
		t.Errorf("on the full disk stands %q", got)
	}
	d.room = 100
	if _, err := f.Write([]byte("three\n")); err != nil || d.String() != "one\nthree\n" {
		t.Errorf("%v, %q", err, d.String())
	}
	d.room, d.broken = 2, syscall.EIO
	if n, err := f.Write([]byte("four\n")); n != 2 || err == nil {
		t.Errorf("failing truncation: %d, %v", n, err)
	}
}
