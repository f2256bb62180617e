package analysis

import (
	"fmt"
	"html"
	"io"

	"github.com/brokerbench/brokerbench/cmd/internal/command"
	"github.com/brokerbench/brokerbench/internal/canary"
	shown "github.com/brokerbench/brokerbench/internal/report/canary"
	"github.com/brokerbench/brokerbench/internal/report/document"
)

// isCanary reports whether a folder is that of a canary.
func isCanary(dir string) bool {
	_, err := canary.ReadIdentity(dir)
	return err == nil
}

// reportCanary prints the folder of a canary: as text, unless a format or a file was asked for.
func reportCanary(s command.Streams, o reportOptions, dir string, asked bool) error {
	if err := o.Check(); err != nil {
		return err
	}
	r, err := canary.Read(dir)
	if err != nil {
		return err
	}
	d := shown.Show(r)
	if !asked && o.Path == "" {
		return s.Show(d, document.Text)
	}
	d.Offer(command.FormatHTML, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "<!doctype html><meta charset=utf-8><title>brokerbench: canary of %s</title><pre>%s</pre>\n", html.EscapeString(r.Target), html.EscapeString(d.Text()))
		return err
	})
	return o.Show(s, d)
}
