package document

import "regexp"

// The colours of a terminal: those that every theme has.
const (
	bold   = "\x1b[1m"
	dim    = "\x1b[2m"
	red    = "\x1b[31m"
	yellow = "\x1b[33m"
	plain  = "\x1b[0m"
)

// stressed are the highlighted words and their colours.
var stressed = []struct {
	words  *regexp.Regexp
	colour string
}{
	{regexp.MustCompile(`\b(INVALID|SLO MISSED|NOT MEASURED|LOST)\b`), red},
	{regexp.MustCompile(`\b(SUSPECT|SLO INCONCLUSIVE|LIMITED|NOT JUDGED)\b`), yellow},
	{regexp.MustCompile(`~[0-9.–∞]+`), dim},
}

// coloured colours a text. The words say the same without it.
func coloured(text string, title bool) string {
	for _, s := range stressed {
		text = s.words.ReplaceAllString(text, s.colour+"$0"+plain)
	}
	if title {
		return bold + text[:len(text)-1] + plain + "\n"
	}
	return text
}
