package process

import (
	"bytes"
	"strings"
	"sync"
)

// mostSaid bounds what is remembered of what a command says, in bytes.
const mostSaid = 4096

// Said is what a command said last: the end of what is written to it, however much that is. Its
// zero value is ready to use, and it is safe for concurrent use.
type Said struct {
	mu   sync.Mutex
	text []byte
}

// Write implements io.Writer. It never fails.
func (s *Said) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = append(s.text, p[max(0, len(p)-mostSaid):]...)
	s.text = append(s.text[:0], s.text[max(0, len(s.text)-mostSaid):]...)
	return len(p), nil
}

// Last returns the last line that is not empty, without blanks around it.
func (s *Said) Last() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := bytes.TrimSpace(s.text)
	return strings.TrimSpace(string(text[bytes.LastIndexByte(text, '\n')+1:]))
}
