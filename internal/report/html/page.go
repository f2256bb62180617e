package html

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/brokerbench/brokerbench/internal/report/palette"

	"github.com/brokerbench/brokerbench/internal/leaf/words"
)

//go:embed assets vendor/uplot
var files embed.FS

// scripts are the parts of our script; each comes after those that it uses.
var scripts = [...]string{
	"dom", "format", "histogram", "data", "address", "theme", "download", "ends", "chart", "drawn",
	"panels", "heatmap", "timeline", "span", "forestrow", "forestsave", "forest", "searches", "pairs", "columns", "repeats", "rows", "table", "facts", "faults", "causes", "agents", "nodes", "cell", "notices", "runs",
	"main",
}

// plain replaces the control characters in the strings of a JSON text, as [words.Plain] does.
func plain(data []byte) []byte {
	for i := 0; i+1 < len(data); i++ {
		if data[i] != '\\' {
			continue
		}
		if i++; data[i] == 'u' && i+4 < len(data) && data[i+1] == '0' && data[i+2] == '0' && data[i+3] < '2' {
			copy(data[i+1:], "fffd")
		}
	}
	return []byte(words.Plain(string(data)))
}

// writePage writes the file: a head with the policy, which permits what is in this
// file and nothing else; the skeleton, the data, and the scripts.
func writePage(w io.Writer, d *document) error {
	data, err := json.Marshal(d) // escapes <, >, &, U+2028 and U+2029
	if err != nil {
		return err
	}
	data = plain(data)
	style := asset("vendor/uplot/uPlot.min.css") + colours() + asset("assets/page.css")
	uplot, own := asset("vendor/uplot/uPlot.iife.min.js"), script()
	var b bytes.Buffer
	names := make([]string, len(d.Runs))
	for i, r := range d.Runs {
		names[i] = r.Name
	}
	// Images are those that the page makes of its charts.
	policy := "default-src 'none'; script-src " + hash(uplot) + " " + hash(own) + "; style-src " + hash(style) +
		"; img-src data: blob:; base-uri 'none'; form-action 'none'"
	fmt.Fprintf(&b, head, policy, html.EscapeString(strings.Join(names, ", ")), asset("vendor/uplot/LICENSE"), style)
	b.WriteString(asset("assets/page.html"))
	writeData(&b, "data", data)
	for i, c := range d.Cells {
		writeBlob(&b, fmt.Sprintf("cell-%d", i), c.blob)
	}
	for i, c := range d.Charts {
		writeBlob(&b, fmt.Sprintf("chart-%d", i), c.blob)
	}
	fmt.Fprintf(&b, "<script>%s</script>\n<script>%s</script>\n</body>\n</html>\n", uplot, own)
	_, err = w.Write(b.Bytes())
	return err
}

const head = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="%s">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>brokerbench: %s</title>
<!-- The charts are drawn by uPlot 1.6.32:
%s-->
<style>%s</style>
</head>
`

// writeData writes a block of JSON that the browser does not run. The JSON has no
// <, so nothing in it can end the block.
func writeData(b *bytes.Buffer, id string, data []byte) {
	fmt.Fprintf(b, "<script type=\"application/json\" id=%q>%s</script>\n", id, data)
}

// writeBlob writes the blob of a cell or a chart, unless it has none.
func writeBlob(b *bytes.Buffer, id, blob string) {
	if blob != "" {
		writeData(b, id, []byte(`"`+blob+`"`))
	}
}

// hash returns how a policy permits a text of this file.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// script returns our own script: the parts in one function, so that they share
// their names with each other only.
func script() string {
	var b strings.Builder
	b.WriteString("(() => {\n\"use strict\";\n")
	for _, name := range scripts {
		b.WriteString(asset("assets/" + name + ".js"))
	}
	b.WriteString("})();\n")
	return b.String()
}

// asset returns an embedded file.
func asset(name string) string {
	text, err := files.ReadFile(name)
	if err != nil {
		panic(err) // it is in this program or it does not build
	}
	return string(text)
}

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
