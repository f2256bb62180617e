package target

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/brokerbench/brokerbench/requester"
)

// runName matches what every broker takes as a part of a name.
var runName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,200}$`)

// CheckRun returns an error if run cannot be a part of the names of topics,
// queues, channels and subjects.
func CheckRun(run string) error {
	if !runName.MatchString(run) {
		return fmt.Errorf("run %q: want 1 to 200 letters, digits, '_' or '-', as a part of names", run)
	}
	return nil
}

// Name returns what the topic, queue, channel or subject of a connection is called in
// a run. Package leftover knows these names again.
func Name(run string, conn int) string { return fmt.Sprintf("brokerbench.%s.%d", run, conn) }

// Number returns the number in a name; -1 if it has none.
func Number(name string) int {
	number, err := strconv.Atoi(name[strings.LastIndexByte(name, '.')+1:])
	if err != nil {
		return -1
	}
	return number
}

// Sides says to which name a connection sends and from which it receives: the same one, or
// with an echo two, and each side receives from the other's. The zero value has
// no echo.
type Sides struct{ side requester.Side }

// NoEcho returns an error if an option is such that no echo is possible.
func NoEcho(wrong bool, option string) error {
	return Refuse(wrong, "an echo is not possible with the option %s", option)
}

// Back is at the end of the names to which echoes send. Package leftover knows it, too.
const Back = ".back"

// To returns where a connection sends whose name, in a run without an echo, is name.
func (s *Sides) To(name string) string {
	if s.side == requester.Echo {
		return name + Back
	}
	return name
}

// From returns where it receives from.
func (s *Sides) From(name string) string {
	if s.side == requester.Caller {
		return name + Back
	}
	return name
}
