package nodes

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"unicode"

	"github.com/brokerbench/brokerbench/internal/leaf/process"
)

// shownLines is how many of the last lines of a node's log are looked at for its last words,
// and mostWords how many characters an error has of them.
const (
	shownLines = 8
	mostWords  = 160
)

// lastWords returns why the node says that it ended, in one line, and where the rest is: an
// error is a line of a verdict. It is "" if nothing is known of a log.
func (n *Node) lastWords() string {
	said, at := telling(n.Tail(shownLines)), n.loggedAt()
	switch {
	case n.Log != "" && !n.kept:
		return n.lostWords(said)
	case said != "" && at != "":
		return fmt.Sprintf("; it logged %q, more in %s", said, at)
	case said != "":
		return fmt.Sprintf("; it logged %q", said)
	case at != "":
		return "; it logged nothing in " + at
	}
	return ""
}

// lostWords is lastWords of a node whose log is deleted with the run, unless the node has its own
// log file, which no ready-made node has.
func (n *Node) lostWords(said string) string {
	words := "; it logged nothing"
	if said != "" {
		words = fmt.Sprintf("; it logged %q", said)
	}
	if n.o.Throwaway || said == "" {
		return words
	}
	return words + " (to keep all of it, give the node a log, a file)"
}

// loggedAt returns the file of the node's log, or the command that prints it; "" if neither is
// known.
func (n *Node) loggedAt() string {
	if n.Log != "" && n.On != "" {
		return n.Log + " of " + n.On
	}
	if n.Log != "" {
		return n.Log
	}
	if prints, ok := n.way.(interface{ logged() string }); ok {
		return prints.logged()
	}
	return ""
}

// troubled are words of lines that say what went wrong.
var troubled = regexp.MustCompile(`(?i)error|fatal|panic|fail|cannot|could not|denied|refused|invalid|exception|in use|no space|no such|not found|killed|crash`)

// telling returns the last line that says what went wrong, or else that says anything:
// lines of dashes and braces do not. It is cut off after mostWords characters.
func telling(lines []string) (line string) {
	last := ""
	for _, one := range lines {
		if strings.IndexFunc(one, unicode.IsLetter) < 0 {
			continue
		}
		if last = one; troubled.MatchString(one) {
			line = one
		}
	}
	if line == "" {
		line = last
	}
	text := []rune(strings.Join(strings.Fields(line), " "))
	if len(text) > mostWords {
		text = append(text[:mostWords-1], '…')
	}
	return string(text)
}

// mostTail is how much of a log is read from its end, in bytes.
const mostTail = 16 << 10

// tailOf returns the last lines of a file that are not empty; none if it cannot be read.
func tailOf(file string, lines int) []string {
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	if end, err := f.Seek(0, io.SeekEnd); err == nil {
		_, _ = f.Seek(max(0, end-mostTail), io.SeekStart) // else it is read from where it is: its end
	}
	text, _ := io.ReadAll(io.LimitReader(f, mostTail)) // what could be read
	return process.LastLines(string(text), lines)
}
