// Package payload says what the content of messages is: random bytes, bytes that a compressor makes
// smaller, or files.
package payload

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A Spec is the content of messages as a plan has it: compressible(0.5) or file:DIR. The zero value
// is random bytes.
type Spec string

const (
	random     = "random"
	filePrefix = "file:"
)

var compressible = regexp.MustCompile(`^compressible\((0?\.[0-9]{1,3})\)$`)

// Parse reads the content of messages as a user writes it.
func Parse(text string) (Spec, error) {
	if text == random {
		return "", nil
	}
	s := Spec(text)
	return s, s.Validate()
}

// Validate returns why the content is none.
func (s Spec) Validate() error {
	if s == "" || s.Dir() != "" || s.Share() > 0 {
		return nil
	}
	return errors.New("want random, compressible(0.5) with a share above 0 and below 1, or file:DIR with a folder of messages")
}

// Share returns the share of its size to which a compressor reduces a message; 0 if that is not given.
func (s Spec) Share() float64 {
	fields := compressible.FindStringSubmatch(string(s))
	if fields == nil {
		return 0
	}
	share, _ := strconv.ParseFloat(fields[1], 64)
	return share
}

// Dir returns the folder whose files are the messages; "" if there is none.
func (s Spec) Dir() string {
	dir, _ := strings.CutPrefix(string(s), filePrefix)
	if dir == string(s) {
		return ""
	}
	return dir
}

// String returns the content as a user writes it.
func (s Spec) String() string {
	if s == "" {
		return random
	}
	return string(s)
}

// Contents are what the messages of a run are made of. The zero value is random bytes.
type Contents struct {
	Share float64  // to which a compressor reduces a message, between 0 and 1; 0: it does not
	Files [][]byte // each a message; nil: there are no files
	// Beside tells that the stamp travels beside the message, which then has no byte of it: the engine
	// puts it before the content, and the requester takes it off: see requester.Headers.
	Beside bool
}

// Contents returns the contents of messages. It reads the files, which must be those that were
// read before.
func (s Spec) Contents(before Files) (Contents, error) {
	if s.Dir() == "" {
		return Contents{Share: s.Share()}, nil
	}
	files, contents, err := Read(s.Dir())
	if err == nil && files != before {
		err = fmt.Errorf("%s: the files have changed: %v, and the plan has %v", s, files, before)
	}
	return Contents{Files: contents}, err
}
