package html

import (
	"fmt"
	"strings"

	"github.com/brokerbench/brokerbench/internal/report/palette"
)

// colours returns the palette as variables of the style sheet: --hue-2-0 is the
// third hue in its first shade.
func colours() string {
	var b strings.Builder
	b.WriteString(":root {" + variables(palette.Light) + " }\n")
	b.WriteString("@media (prefers-color-scheme: dark) { :root {" + variables(palette.Dark) + " } }\n")
	return b.String()
}

func variables(scheme palette.Scheme) string {
	var b strings.Builder
	for hue := range palette.Hues {
		for shade := range palette.Shades {
			c := palette.Style{Hue: hue, Shade: shade}.Color(scheme)
			fmt.Fprintf(&b, " --hue-%d-%d: #%02x%02x%02x;", hue, shade, c.R, c.G, c.B)
		}
	}
	return b.String()
}
