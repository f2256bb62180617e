package words

import (
	"strings"
	"unicode"
)

// Plain returns a text in which a mark stands for each control character but line ends and tabs. Errors
// and names from brokers, agents and files go through it before people see them: on a terminal
// they could move the cursor, or hide and forge what is there.
func Plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}
