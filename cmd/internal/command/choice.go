package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/brokerbench/brokerbench/internal/leaf/suggest"
)

// DefineChoice defines a flag that takes one of several words, the first by default.
// Its help ends with the words.
func DefineChoice[T ~string](f *pflag.FlagSet, value *T, name, shorthand, help string, allowed []T) {
	*value = allowed[0]
	c := NewChoice(value, allowed)
	f.VarP(c, name, shorthand, help+strings.Join(c.Words(), ", "))
}

// NewChoice returns a flag's value that is one of several words. *value is its default.
func NewChoice[T ~string](value *T, allowed []T) Choice[T] { return Choice[T]{value, allowed} }

// A Choice implements pflag.Value.
type Choice[T ~string] struct {
	value   *T
	allowed []T
}

// String implements pflag.Value.
func (c Choice[T]) String() string { return string(*c.value) }

// Type lets help quote the default, as that of other flags.
func (c Choice[T]) Type() string { return "string" }

// Set names all words if it is given another one.
func (c Choice[T]) Set(text string) error {
	if !slices.Contains(c.allowed, T(text)) {
		words := c.Words()
		last := len(words) - 1
		return fmt.Errorf("want %s or %s%s", strings.Join(words[:last], ", "), words[last], suggest.Hint(text, words))
	}
	*c.value = T(text)
	return nil
}

// Words returns the words that are allowed.
func (c Choice[T]) Words() (words []string) {
	for _, word := range c.allowed {
		words = append(words, string(word))
	}
	return words
}

// UnknownCommand refuses a first argument that is not a command.
func UnknownCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range c.Commands() {
		names = append(names, sub.Name())
	}
	return fmt.Errorf("unknown command %q%s (see `%s --help`)", args[0], suggest.Hint(args[0], names), c.CommandPath())
}
