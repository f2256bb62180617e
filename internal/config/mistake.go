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

// Mistakes are everything that is wrong: in the file, in its order, then elsewhere.
type Mistakes []Mistake

// Error returns every mistake, each beginning on a new line.
func (m Mistakes) Error() string {
	texts := make([]string, len(m))
	for i := range m {
		texts[i] = m[i].Error()
	}
	return strings.Join(texts, "\n")
}

// mistakes collects Mistakes of a source, and of whatever goes over it.
type mistakes struct {
	src    source
	found  Mistakes
	redact func(string) string
}

// add adds a mistake at a place. Arguments that a user wrote go through quote.
func (m *mistakes) add(at place, format string, args ...any) {
	message := strings.Join(strings.Split(fmt.Sprintf(format, args...), "\n"), "; ")
	m.found = append(m.found, Mistake{
		Where: m.src.where(at), Message: m.redact(message), Excerpt: m.src.excerpt(at, m.redact), at: at,
	})
}

// check adds err as a mistake, if it is one.
func (m *mistakes) check(at place, err error) (ok bool) {
	if err != nil {
		m.add(at, "%v", err)
	}
	return err == nil
}

// err returns the mistakes in order, each once: a node with two aliases is read
// twice.
func (m *mistakes) err() error {
	if len(m.found) == 0 {
		return nil
	}
	list := unique(m.found, func(one Mistake) [2]string { return [2]string{one.Where, one.Message} })
	slices.SortStableFunc(list, func(a, b Mistake) int {
		if a.at.line == 0 || b.at.line == 0 {
			return cmp.Compare(b.at.line, a.at.line) // what is not in the file comes last
		}
		return cmp.Or(cmp.Compare(a.at.line, b.at.line), cmp.Compare(a.at.column, b.at.column))
	})
	return list
}
