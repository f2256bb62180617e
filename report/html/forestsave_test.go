package html_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/brokerbench/brokerbench/report/palette"
)

// The forest plot is saved as CSV, with its rows as they are shown, and as PNG, with the
// colours that it has on the screen.
func TestTheForestIsSaved(t *testing.T) {
	b := show(t, "dark", forestStore(t))
	dir := b.downloads()
	for i := range 2 {
		b.run(fmt.Sprintf(`document.querySelectorAll("#forest .save")[%d].click()`, i))
		b.do(chromedp.Sleep(100 * time.Millisecond))
	}
	rows, err := csv.NewReader(bytes.NewReader(download(t, b, dir, "answer.csv"))).ReadAll()
	if err != nil || len(rows) != 5 {
		t.Fatalf("%d rows: %v", len(rows), err)
	}
	var got []string
	for _, row := range rows {
		got = append(got, strings.Join([]string{row[1], row[2], row[8], row[14], row[16]}, " "))
	}
	if want := []string{"target rate_per_s verdict p99_limited_by missing", "open 2000 valid  0", "limited 2000 valid this machine 0", "lossy 2000 invalid  400", "plain 4000 valid  0"}; !slices.Equal(got, want) {
		t.Errorf("rows %q, want %q", got, want)
	}
	text := download(t, b, dir, "answer.png")
	picture, err := png.Decode(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	keep(t, "answer-saved", text)
	for hue := range 4 {
		want := palette.Style{Hue: hue}.Color(palette.Dark)
		if n := count(picture, want); n < 40 {
			t.Errorf("%d pixels of hue %d", n, hue)
		}
	}
}

// count returns how many pixels of a picture have a colour.
func count(picture image.Image, want color.NRGBA) (n int) {
	for y := range picture.Bounds().Dy() {
		for x := range picture.Bounds().Dx() {
			if color.NRGBAModel.Convert(picture.At(x, y)) == want {
				n++
			}
		}
	}
	return n
}
