package document

import (
	"regexp"
	"strings"
	"unicode"
)

// The colours of a terminal: those that every theme has.
const (
	bold   = "\x1b[1m"
	dim    = "\x1b[2m"
	red    = "\x1b[31m"
	yellow = "\x1b[33m"
	plain  = "\x1b[0m"
)

var stressed = []struct {
	words  *regexp.Regexp
	colour string
}{
	{regexp.MustCompile(`\b(INVALID|FAIL|NOT MEASURED|LOST)\b`), red},
	{regexp.MustCompile(`\b(SUSPECT|UNDECIDED|LIMITED|NOT JUDGED|Not the same promise)\b`), yellow},
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

// Wrap breaks text at spaces so that no line is wider than Width; lines after
// the first are indented. Spaces at the beginning stay.
func Wrap(text string) string { return wrap(text, Width) }

func wrap(text string, most int) string {
	const indent = "  "
	var b strings.Builder
	column := len(text) - len(strings.TrimLeft(text, " "))
	b.WriteString(text[:column])
	for i, word := range strings.Fields(text) {
		n := columns(word)
		switch {
		case i == 0:
		case column+1+n > most:
			b.WriteString("\n" + indent)
			column = columns(indent)
		default:
			b.WriteString(" ")
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}

// wide are the letters that take two columns of a terminal: those of Chinese, Japanese
// and Korean, and full-width forms (Unicode's East Asian Width, W and F).
var wide = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: 0x1100, Hi: 0x115f, Stride: 1},
	{Lo: 0x2e80, Hi: 0x303e, Stride: 1},
	{Lo: 0x3041, Hi: 0xa4cf, Stride: 1},
	{Lo: 0xac00, Hi: 0xd7a3, Stride: 1},
	{Lo: 0xf900, Hi: 0xfaff, Stride: 1},
	{Lo: 0xfe30, Hi: 0xfe6f, Stride: 1},
	{Lo: 0xff01, Hi: 0xff60, Stride: 1},
	{Lo: 0xffe0, Hi: 0xffe6, Stride: 1},
}, R32: []unicode.Range32{{Lo: 0x20000, Hi: 0x3fffd, Stride: 1}}}

// columns returns how many columns of a terminal a text takes.
func columns(text string) (n int) {
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Me): // on the letter before
		case unicode.Is(wide, r):
			n += 2
		default:
			n++
		}
	}
	return n
}
