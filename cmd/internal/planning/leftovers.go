package planning

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/brokers"
	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/leaf/words"
	"github.com/brokerbench/brokerbench/internal/live"
	"github.com/brokerbench/brokerbench/internal/run/testbed"
	"github.com/brokerbench/brokerbench/plan"
)

// Leftovers are what a run made on its targets and could not remove. It is used from
// one goroutine at a time.
type Leftovers struct{ left []leftover }

// A leftover is what is left on one target.
type leftover struct {
	url      string // without its password
	redacted bool   // whether it had one
	names    []string
}

// Add implements run.Runner.Left.
func (l *Leftovers) Add(cell plan.Cell, names []string) {
	if testbed.IsLocal(cell.Target.URL) { // which ends with the run
		return
	}
	url := brokers.Redact(cell.Target.URL)
	at := slices.IndexFunc(l.left, func(one leftover) bool { return one.url == url })
	if at < 0 {
		at, l.left = len(l.left), append(l.left, leftover{url: url, redacted: url != cell.Target.URL})
	}
	l.left[at].names = append(l.left[at].names, names...)
}

// Say reports for each target, in one line, the leftovers of the run and how to remove them.
func (l *Leftovers) Say(s command.Streams, run string) {
	for _, one := range l.left {
		text := fmt.Sprintf("left on %s: %s (%s)", one.url, several(one.names), one.remedy(s.Brokers, run))
		live.Say(s.Err, live.Notice{Kind: live.Left, Text: text}, "brokerbench: "+text)
	}
}

// remedy returns the command that removes what is left; a broker that is not
// brokerbench's own has none.
func (l leftover) remedy(table brokers.Table, run string) string {
	if target, err := table.Parse(l.url); err == nil && !target.Leaves() {
		return "remove it with the broker's own tools: clean does not know them"
	}
	remark := ""
	if l.redacted {
		remark = ", with its password in place of xxxxx"
	}
	return fmt.Sprintf("to remove: brokerbench clean %s --only %s%s", Quoted(l.url), narrowed(run, l.names), remark)
}

// narrowed returns the cell of the run that left all of the names, such as "topic
// brokerbench.<run>-3.0": RabbitMQ may have to be asked for each by name. It is the
// run if several cells did.
func narrowed(run string, names []string) (of string) {
	for _, name := range names {
		_, rest, _ := strings.Cut(name, run)
		cell, _, _ := strings.Cut(rest, ".")
		if of != "" && of != run+cell {
			return run
		}
		of = run + cell
	}
	return of
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

// plainWord matches a word that no shell treats specially.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9:/.,@%_-]+$`)

// Quoted quotes a URL for a shell where that is needed.
func Quoted(url string) string {
	if plainWord.MatchString(url) {
		return url
	}
	return "'" + strings.ReplaceAll(url, "'", `'\''`) + "'"
}
