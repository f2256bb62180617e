package main

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	text "text/template"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"

	"github.com/brokerbench/brokerbench/internal/claims"
	"github.com/brokerbench/brokerbench/results"
)

// pageFile is the source of the page in a bundle, a template of Markdown; see [author.functions].
const pageFile = "page.tmpl"

//go:embed page.html
var frame string

// page writes index.md and index.html, with the charts that they show. After an error the bundle is unchanged.
func (b bundle) page(ctx context.Context) (err error) {
	restore, err := b.unseal()
	if err != nil {
		return err
	}
	charts := filepath.Join(b.dir, "charts")
	a := author{bundle: b, ctx: ctx, said: make(map[string]int), charted: make(map[string]bool), drawn: charts + ".new"}
	defer func() {
		if err = errors.Join(err, os.RemoveAll(a.drawn)); err != nil {
			err = errors.Join(err, restore())
		}
	}()
	if err := errors.Join(os.RemoveAll(a.drawn), os.MkdirAll(a.drawn, 0o755)); err != nil { //nolint:gosec // it is to be published
		return err
	}
	markdown, html, err := a.write()
	if err != nil {
		return err
	}
	if err := errors.Join(
		os.RemoveAll(charts), os.Rename(a.drawn, charts),
		os.WriteFile(filepath.Join(b.dir, "index.md"), markdown, 0o644), //nolint:gosec // it is to be published
		os.WriteFile(filepath.Join(b.dir, "index.html"), html, 0o644),   //nolint:gosec // the same
	); err != nil {
		return err
	}
	return errors.Join(a.prune(), b.seal())
}

// write judges the claims, and returns the page that says them.
func (a *author) write() (markdown, page []byte, err error) {
	if err := a.judge(); err != nil {
		return nil, nil, err
	}
	source, err := text.New(pageFile).Funcs(a.functions()).ParseFiles(filepath.Join(a.dir, pageFile))
	if err != nil {
		return nil, nil, err
	}
	var md, html bytes.Buffer
	if err := source.Execute(&md, nil); err != nil {
		return nil, nil, err
	}
	if err := a.allSaid(); err != nil {
		return nil, nil, err
	}
	err = a.html(&html, md.Bytes())
	return md.Bytes(), html.Bytes(), err
}

// html writes a page of Markdown as HTML with its charts inside.
func (a *author) html(w *bytes.Buffer, markdown []byte) error {
	var body bytes.Buffer
	md := goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	if err := md.Convert(markdown, &body); err != nil {
		return err
	}
	page := body.String()
	charts, err := filepath.Glob(filepath.Join(a.drawn, "*.svg"))
	if err != nil {
		return err
	}
	for _, file := range charts {
		svg, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		_, svg, _ = bytes.Cut(svg, []byte("<svg"))
		page = withChart(page, "charts/"+filepath.Base(file), "<svg"+string(svg))
	}
	title, _, _ := strings.Cut(strings.TrimPrefix(string(markdown), "# "), "\n")
	return template.Must(template.New("").Parse(frame)).Execute(w, map[string]any{
		"Title": title, "Body": template.HTML(page), //nolint:gosec // it is made of files of this program
	})
}

// withChart replaces the image of a chart by the chart.
func withChart(page, source, svg string) string {
	before, after, found := strings.Cut(page, `<img src="`+source+`"`)
	if !found {
		return page
	}
	_, after, _ = strings.Cut(after, ">")
	return before + svg + after
}

// An author fills in the template of a page.
type author struct {
	bundle

	ctx    context.Context //nolint:containedctx // of the calls from a template
	judged []claims.Judged
	said   map[string]int // how often each claim is on the page
	charts int
	drawn  string // the folder of the charts

	charted map[string]bool // the folders of cells that a chart draws
}

// functions are those of a template.
func (a *author) functions() text.FuncMap {
	return text.FuncMap{"machine": a.machine, "claim": a.claim, "plot": a.plot, "ranges": a.ranges, "raw": a.raw}
}

// judge judges the claims by their own runs.
func (a *author) judge() error {
	list, err := claims.Read(a.dir)
	if err != nil {
		return err
	}
	args := []string{"reproduce", a.dir, "--format", "json"}
	var evidence []string
	for _, c := range list {
		evidence = append(evidence, c.Evidence...)
	}
	slices.Sort(evidence)
	for _, dir := range slices.Compact(evidence) {
		args = append(args, "--with", filepath.Join(a.dir, dir))
	}
	var found struct {
		Claims []struct {
			ID         string
			Outcome    claims.Outcome
			Reason     string
			Statements []claims.Statement
		}
	}
	out, err := a.ask(args...)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(out, &found); err != nil {
		return err
	}
	for i, c := range found.Claims {
		if c.ID != list[i].ID {
			return fmt.Errorf("reproduce answers %s, want %s", c.ID, list[i].ID)
		}
		a.judged = append(a.judged, claims.Judged{Claim: list[i], Outcome: c.Outcome, Reason: c.Reason, Statements: c.Statements})
	}
	return nil
}

// ask returns the output of a command of brokerbench.
func (a *author) ask(args ...string) ([]byte, error) {
	c := exec.CommandContext(a.ctx, a.program, args...) //nolint:gosec // brokerbench
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("brokerbench %s: %w", strings.Join(args, " "), err)
	}
	return out, nil
}

// allSaid returns an error for each claim that is not on the page exactly once.
func (a *author) allSaid() error {
	var errs []error
	for _, j := range a.judged {
		if n := a.said[j.ID]; n != 1 {
			errs = append(errs, fmt.Errorf("claim %s is on the page %d times, want once", j.ID, n))
		}
	}
	return errors.Join(errs...)
}

// claim returns the sentence of a claim, with its evidence.
func (a *author) claim(id string) (string, error) {
	i := slices.IndexFunc(a.judged, func(j claims.Judged) bool { return j.ID == id })
	if i < 0 {
		return "", fmt.Errorf("%s has no claim %q", claims.File, id)
	}
	a.said[id]++
	j := a.judged[i]
	var from []string
	for _, dir := range j.Evidence {
		from = append(from, fmt.Sprintf("[%s](%s)", filepath.Base(dir), dir))
	}
	return fmt.Sprintf("**%s** (claim `%s`, from %s: %s)", j.Sentence, j.ID, strings.Join(from, ", "), strings.ReplaceAll(j.Why(), "|", `\|`)), nil
}

// run1 returns the folder of the newest run of a plan.
func (a *author) run1(name string) (string, error) {
	found, err := filepath.Glob(filepath.Join(a.dir, "runs", "[0-9]*-"+name))
	if err != nil || len(found) == 0 {
		return "", fmt.Errorf("no run in %s is called %s", a.dir, name)
	}
	return "runs/" + filepath.Base(slices.Max(found)), nil
}

// plot draws a chart of cells of a run with `brokerbench plot`, and returns the image. Cells are
// patterns of folders; an argument that begins with a hyphen, and the rest, are flags.
func (a *author) plot(kind, title, name string, cells ...string) (string, error) {
	dir, err := a.run1(name)
	if err != nil {
		return "", err
	}
	a.charts++
	file := fmt.Sprintf("%02d.svg", a.charts)
	args := []string{"plot", kind, "--title", title, "--output", filepath.Join(a.drawn, file)}
	for i, pattern := range cells {
		if strings.HasPrefix(pattern, "-") {
			args = append(args, cells[i:]...)
			break
		}
		found, err := filepath.Glob(filepath.Join(a.dir, dir, "cells", pattern))
		if err != nil || len(found) == 0 {
			return "", fmt.Errorf("%s has no cells %s", dir, pattern)
		}
		args = append(args, found...)
		for _, cell := range found {
			a.charted[cell] = true
		}
	}
	_, err = a.ask(args...)
	return fmt.Sprintf("![%s](charts/%s)", title, file), err
}

// machine says where the numbers come from. Cores names their kind; none is "cores".
func (a *author) machine(cores ...string) (string, error) {
	runs, err := a.runs()
	if err != nil || len(runs) == 0 {
		return "", errors.Join(err, fmt.Errorf("no runs in %s", a.dir))
	}
	var of, kernels []string
	for _, r := range runs {
		of, kernels = append(of, r.Environment.CPU), append(kernels, r.Environment.Kernel)
	}
	slices.Sort(of)
	slices.Sort(kernels)
	const day = "2 January 2006"
	days := runs[0].Started.UTC().Format(day)
	if until := runs[len(runs)-1].Started.UTC().Format(day); until != days {
		days += " to " + until
	}
	return fmt.Sprintf("The numbers come from %d %s (%s; Linux %s), on which clients and brokers ran together, on %s.",
		runs[0].Environment.CPUs, cmp.Or(strings.Join(cores, " "), "cores"), strings.Join(slices.Compact(of), " and "), strings.Join(slices.Compact(kernels), ", "), days), nil
}

// A run is one of the bundle.
type run struct {
	results.Run
	dir string // in the bundle
}

// runs reads all runs.
func (a *author) runs() (list []run, err error) {
	files, err := filepath.Glob(filepath.Join(a.dir, "runs", "[0-9]*", results.RunFile))
	for _, file := range files {
		store, err := results.Open(filepath.Dir(file))
		if err != nil {
			return nil, err
		}
		r, err := store.Run()
		if err != nil {
			return nil, err
		}
		list = append(list, run{r, "runs/" + filepath.Base(filepath.Dir(file))})
	}
	return list, err
}

// raw lists the runs.
func (a *author) raw() (string, error) {
	runs, err := a.runs()
	var b strings.Builder
	b.WriteString("| run | cells | time | command |\n|---|---|---|---|\n")
	for _, r := range runs {
		fmt.Fprintf(&b, "| [%s](%s) | %d | %.0f min | `%s` |\n", r.Name, r.dir, len(r.Cells), r.Finished.Sub(r.Started).Minutes(), strings.Join(r.Command, " "))
	}
	return b.String(), err
}
