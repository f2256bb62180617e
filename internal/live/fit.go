package live

import "strings"

// fitting returns the first form of a line that fits, or the last if none does.
func fitting(columns int, forms []string) string {
	for _, form := range forms {
		if len([]rune(form)) <= columns {
			return form
		}
	}
	return forms[len(forms)-1]
}

// wrapped breaks a text at its spaces into at most so many lines. The later ones
// are indented a little more than the first. The last has all the rest, however
// long.
func wrapped(text string, columns, most int) (lines []string) {
	indent := strings.Repeat(" ", len(text)-len(strings.TrimLeft(text, " "))+2)
	for len(lines) < most-1 && len([]rune(text)) > columns {
		runes := []rune(text)
		at := strings.LastIndex(string(runes[:columns+1]), " ")
		if at <= len(indent) {
			break
		}
		lines = append(lines, text[:at])
		text = indent + text[at+1:]
	}
	return append(lines, text)
}
