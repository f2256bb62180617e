package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/brokerbench/brokerbench/internal/suggest"
)

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
