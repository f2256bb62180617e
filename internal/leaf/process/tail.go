package process

import (
	"bytes"
	"strings"
	"sync"
)

// tailSize is how much of the output of a command is kept, in bytes.
const tailSize = 4096

// A Tail keeps the end of the output of a command. Its zero value is ready to use, and it is
// safe for concurrent use.
type Tail struct {
	mu   sync.Mutex
	text []byte
}

// Write implements io.Writer. It never fails.
func (t *Tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p[max(0, len(p)-tailSize):]...)
	t.text = append(t.text[:0], t.text[max(0, len(t.text)-tailSize):]...)
	return len(p), nil
}

// LastLine returns the last line that is not blank, without the blanks around it.
func (t *Tail) LastLine() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := bytes.TrimSpace(t.text)
	return strings.TrimSpace(string(text[bytes.LastIndexByte(text, '\n')+1:]))
}
