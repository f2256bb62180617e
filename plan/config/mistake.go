package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Mistake is one thing that is wrong in a plan file, the environment or the
// flags.
type Mistake struct {
	Where   string // file:line:column, --flag or variable; "" where Message says it
	Message string // one line, without secrets
	Excerpt string // the line and a mark below it, each with a newline; "" outside a file

	at place
}

// Error returns "where: message" and, below it, the excerpt.
func (m Mistake) Error() string {
	text := m.Message
	if m.Where != "" {
		text = m.Where + ": " + text
	}
	if m.Excerpt != "" {
		text += "\n" + strings.TrimSuffix(m.Excerpt, "\n")
	}
	return text
}

// Mistakes are all that is wrong: those of the file in its order, then the rest.
type Mistakes []Mistake

// Error returns every mistake, each on lines of its own.
func (m Mistakes) Error() string {
	texts := make([]string, len(m))
	for i := range m {
		texts[i] = m[i].Error()
	}
	return strings.Join(texts, "\n")
}

// mistakes collects Mistakes.
type mistakes struct {
	list   Mistakes
	redact func(string) string
}

// add notes a mistake at a place. Arguments that a user wrote go through quote.
func (m *mistakes) add(at place, format string, args ...any) {
	message := strings.Join(strings.Split(fmt.Sprintf(format, args...), "\n"), "; ")
	m.list = append(m.list, Mistake{
		Where: at.String(), Message: m.redact(message), Excerpt: at.excerpt(m.redact), at: at,
	})
}

// check notes err as a mistake, if it is one.
func (m *mistakes) check(at place, err error) (ok bool) {
	if err != nil {
		m.add(at, "%v", err)
	}
	return err == nil
}

// err returns the mistakes in order, each once: what two aliases stand for is
// read twice.
func (m *mistakes) err() error {
	if len(m.list) == 0 {
		return nil
	}
	type said struct{ where, message string }
	seen := make(map[said]bool)
	list := slices.DeleteFunc(m.list, func(one Mistake) bool {
		again := seen[said{one.Where, one.Message}]
		seen[said{one.Where, one.Message}] = true
		return again
	})
	slices.SortStableFunc(list, func(a, b Mistake) int {
		return cmp.Or(cmp.Compare(a.at.rank(), b.at.rank()), cmp.Compare(a.at.line, b.at.line), cmp.Compare(a.at.column, b.at.column))
	})
	return list
}
