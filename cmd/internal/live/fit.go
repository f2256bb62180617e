package live

import "strings"

// fitting returns the first of several forms of a line that fits, else the last.
func fitting(columns int, forms []string) string {
	for _, form := range forms {
		if len([]rune(form)) <= columns {
			return form
		}
	}
	return forms[len(forms)-1]
}

// wrapped breaks a text at its spaces into so many lines at most, the later ones
// indented as the first and a little more. What does not fit is in the last.
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
