package plot

import (
	"bytes"
	"fmt"
	"image/color"
	"regexp"
	"strings"
	"sync"

	"github.com/brokerbench/brokerbench/internal/report/palette"
)

var (
	titleOf = regexp.MustCompile(`(?s)>\s*<title>(.*)</title>`)
	styleOf = regexp.MustCompile(`style="([^"]*)"`)
	colorOf = regexp.MustCompile(`#[0-9A-F]{6}`)
)

// Inline returns the chart as an element of an HTML page. It is as wide as the page lets it
// be, and takes its colours from variables of the page's style sheet, so that it follows light
// and dark: --hue-2-0 is the third hue in its first shade; the others are --bg, --fg, --muted,
// --grid, --pale and --rule. Its font is that of the style sheet. It has attributes in place of
// styles, which a content security policy forbids. The chart has [palette.Light] as its theme.
func (c *Chart) Inline() (string, error) {
	var text bytes.Buffer
	if err := c.WriteSVG(&text); err != nil {
		return "", err
	}
	_, svg, _ := strings.Cut(text.String(), "<svg ")
	svg = styleOf.ReplaceAllStringFunc("<svg "+svgSize.ReplaceAllString(svg, ""), attributes)
	svg = titleOf.ReplaceAllString(svg, ` role="img" aria-label="$1">`) // a title would follow the mouse
	variables := pageVariables()
	return colorOf.ReplaceAllStringFunc(svg, func(hex string) string {
		if name, ok := variables[hex]; ok {
			return "var(" + name + ")"
		}
		return hex
	}), nil
}

// attributes writes a style as attributes.
func attributes(style string) string {
	var list []string
	for property := range strings.SplitSeq(styleOf.FindStringSubmatch(style)[1], ";") {
		name, value, ok := strings.Cut(property, ":")
		if ok && name != "font-family" && value != "normal" {
			list = append(list, fmt.Sprintf("%s=%q", name, value))
		}
	}
	return strings.Join(list, " ")
}

// pageVariables returns the variable of each colour of a light chart.
var pageVariables = sync.OnceValue(func() map[string]string {
	k, names := inksOf(palette.Light), make(map[string]string)
	hex := func(c color.Color) string {
		n, _ := color.NRGBAModel.Convert(c).(color.NRGBA)
		return fmt.Sprintf("#%02X%02X%02X", n.R, n.G, n.B)
	}
	for hue := range palette.Hues {
		for shade := range palette.Shades {
			names[hex(palette.Style{Hue: hue, Shade: shade}.Color(palette.Light))] = fmt.Sprintf("--hue-%d-%d", hue, shade)
		}
	}
	for name, ink := range map[string]color.Color{"--bg": k.paper, "--fg": k.black, "--muted": k.grey, "--grid": k.faint, "--pale": k.floor, "--rule": k.ghost} {
		names[hex(ink)] = name
	}
	return names
})
