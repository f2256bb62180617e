package config

import (
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

// mistakes collects Mistakes.
type mistakes struct {
	found  Mistakes
	redact func(string) string
}

// add adds a mistake at a place. Arguments that a user wrote go through quote.
func (m *mistakes) add(at place, format string, args ...any) {
	message := strings.Join(strings.Split(fmt.Sprintf(format, args...), "\n"), "; ")
	m.found = append(m.found, Mistake{
		Where: at.String(), Message: m.redact(message), Excerpt: at.excerpt(m.redact), at: at,
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
		return slices.Compare(a.at.order(), b.at.order())
	})
	return list
}
