package document

import "unicode"

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
