package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/brokerbench/brokerbench/internal/suggest"
	"github.com/brokerbench/brokerbench/report/document"
)

// defineFormat defines -o, the format of what a command prints.
func defineFormat(f *pflag.FlagSet, format *document.Format) {
	defineChoice(f, format, "output", "o", "what to print: ", document.Formats())
}

// defineChoice defines a flag that takes one of several words, the first by default.
// Its help ends with the words.
func defineChoice[T ~string](f *pflag.FlagSet, value *T, name, shorthand, help string, allowed []T) {
	*value = allowed[0]
	c := choice[T]{value, allowed}
	f.VarP(c, name, shorthand, help+strings.Join(c.words(), ", "))
}

// A choice implements pflag.Value.
type choice[T ~string] struct {
	value   *T
	allowed []T
}

func (c choice[T]) String() string { return string(*c.value) }

// Type lets help quote the default, as that of other flags.
func (c choice[T]) Type() string { return "string" }

// Set names all words if it is given another one.
func (c choice[T]) Set(text string) error {
	if !slices.Contains(c.allowed, T(text)) {
		words := c.words()
		last := len(words) - 1
		return fmt.Errorf("want %s or %s%s", strings.Join(words[:last], ", "), words[last], suggest.Hint(text, words))
	}
	*c.value = T(text)
	return nil
}

func (c choice[T]) words() (words []string) {
	for _, word := range c.allowed {
		words = append(words, string(word))
	}
	return words
}

// show prints a document, as wide and with the colours that the terminal has.
func (s Streams) show(d *document.Document, format document.Format) error {
	d.Columns, d.Colour = s.Columns, s.Colour
	if err := d.Write(s.Out, format); err != nil {
		return fmt.Errorf("printing the results: %w", err)
	}
	return nil
}
