package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/internal/words"
	"github.com/brokerbench/brokerbench/plan"
)

// leftovers are what a run made on its targets and could not remove. It is used from
// one goroutine at a time.
type leftovers struct {
	urls  []string // of the targets, in the order in which they were measured
	names map[string][]string
}

// add implements measure.Runner.Left.
func (l *leftovers) add(cell plan.Cell, names []string) {
	url := brokers.Redact(cell.Target.URL)
	if l.names == nil {
		l.names = make(map[string][]string)
	}
	if !slices.Contains(l.urls, url) {
		l.urls = append(l.urls, url)
	}
	l.names[url] = append(l.names[url], names...)
}

// say says for each target, in one line, what is left of the run, and which command
// removes it.
func (l *leftovers) say(w io.Writer, run string) {
	for _, url := range l.urls {
		fmt.Fprintf(w, "brokerbench: left on %s: %s (to remove: brokerbench clean %s --run %s)\n",
			url, several(l.names[url]), quoted(url), run)
	}
}

// several writes "topic brokerbench.x.0" for one name and "2 topics, brokerbench.x.0
// to brokerbench.x.1" for more.
func several(names []string) string {
	kind, first, _ := strings.Cut(names[0], " ")
	_, last, _ := strings.Cut(names[len(names)-1], " ")
	if len(names) == 1 {
		return names[0]
	}
	return fmt.Sprintf("%s, %s to %s", words.Plural(len(names), kind), first, last)
}

// quoted quotes a URL for a shell where that is needed.
func quoted(url string) string {
	if strings.ContainsAny(url, "?&*$ ;()") {
		return "'" + url + "'"
	}
	return url
}
