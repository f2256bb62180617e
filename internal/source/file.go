package source

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/brokerbench/brokerbench/histogram"
	"github.com/brokerbench/brokerbench/internal/leaf/safefile"
	"github.com/brokerbench/brokerbench/results"
)

// tables returns the percentile table of a cell for each tag.
func tables() map[string]string {
	return map[string]string{
		Response: results.ResponseFile, Service: results.ServiceFile, Corrected: results.CorrectedFile,
		Ack: results.AckFile, Complete: results.CompleteFile, Published: results.PublishedFile, First: results.FirstFile, Each: results.EachFile,
		Outward: results.OutwardFile, Back: results.BackFile, Echo: results.EchoFile,
	}
}

// ReadTable reads the percentile table of a cell for a tag, such as response, service or
// corrected.
func (s Source) ReadTable(tag string) (histogram.Percentiles, error) {
	name, ok := tables()[tag]
	if s.Cell != nil && s.Cell.OfSize > 0 {
		name = s.Cell.Tag(tag) + results.TableSuffix
	}
	if !ok {
		return histogram.Percentiles{}, fmt.Errorf("%s: %w as %q in a separate file", s.Path, ErrTag, tag)
	}
	found, err := file(filepath.Join(s.Path, name))
	if err != nil || found.Table == nil {
		return histogram.Percentiles{}, err
	}
	return *found.Table, nil
}

// tagOf returns the tag of a file that has the name of one of a cell's files.
func tagOf(path string) (tag string, ok bool) {
	base := filepath.Base(path)
	for tag, name := range tables() {
		if name == base {
			return tag, true
		}
	}
	return "", base == results.IntervalsFile
}

// ofCell reports whether a file belongs to a cell, beside its cell.json.
func ofCell(path string) bool {
	_, ok := tagOf(path)
	return ok && exists(filepath.Join(filepath.Dir(path), results.CellFile))
}

// cellFile returns the cell of a file, since the file alone does not hold the number of missing
// messages.
func cellFile(path string) ([]Source, []string, error) {
	found, err := cell(filepath.Dir(path))
	for i := range found {
		found[i].Tag, _ = tagOf(path)
	}
	return found, nil, err
}

// mostStdin limits how much of standard input is read.
const mostStdin = 64 << 20

// file returns a file by its content: some tools write a log and name it .hgrm. A JSON object is a
// result of the OpenMessaging Benchmark.
func file(path string) (Source, error) {
	f, err := safefile.Open(path)
	if err != nil {
		return Source{}, unreadable(path, err)
	}
	defer f.Close()
	var once []byte
	if info, err := f.Stat(); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		if once, err = safefile.ReadAll(f, path, mostStdin); err != nil {
			return Source{}, unreadable(path, err)
		}
	}
	text := bufio.NewReader(io.MultiReader(bytes.NewReader(once), f))
	if isLog(text) {
		return Source{Path: path, Log: path, text: once}, nil
	}
	if isObject(text) {
		return readOMB(text, path)
	}
	table, err := histogram.ReadPercentiles(text)
	if err != nil {
		return Source{}, fmt.Errorf("%s: neither an interval log nor a percentile table: %w %s", path, cause(err), remedy)
	}
	return Source{Path: path, Table: &table}, nil
}

// isLog reports whether a text begins like an interval log: with its comments, its columns,
// or an interval.
func isLog(text *bufio.Reader) bool {
	begin, _ := text.Peek(512) // a short file has less
	head := strings.ToLower(string(begin))
	for _, prefix := range []string{"#[logged", "#[histogram log", "#[starttime", "#[basetime", `"starttimestamp"`, "tag="} {
		if strings.HasPrefix(head, prefix) {
			return true
		}
	}
	line, _, _ := strings.Cut(string(begin), "\n")
	return strings.Contains(line, ",HIST") // a compressed histogram, in base64
}

// A Head holds the properties of a log besides its intervals.
type Head struct {
	Start time.Time // the time of offset 0
	Cut   bool      // the last line is incomplete, and left out
}

// Intervals calls each with every entry of the log of a cell or a file, one at a time, since a
// log may cover many hours. A table has none.
func (s Source) Intervals(each func(histogram.Entry) error) (Head, error) {
	path := s.LogPath()
	log, err := s.open(path)
	if err != nil {
		return Head{}, unreadable(path, err)
	}
	defer log.Close()
	lines := histogram.NewLogReader(log)
	for {
		entry, err := lines.Next()
		if err == io.EOF { //nolint:errorlint // Next does not wrap it
			return Head{Start: lines.Start(), Cut: lines.Truncated()}, nil
		}
		if err == nil && s.has(&entry) {
			err = each(entry)
		}
		if err != nil {
			return Head{}, fmt.Errorf("%s: %w", path, err)
		}
	}
}

// has reports whether an entry of the log belongs to the source, and names its series: that of a section,
// and of one of several sizes.
func (s Source) has(e *histogram.Entry) (ok bool) {
	switch {
	case s.Cell != nil && s.Cell.OfSize > 0:
		return s.hasSize(e)
	case s.section == 0 || e.Tag == Hiccup:
		return true
	}
	e.Tag, ok = strings.CutSuffix(e.Tag, fmt.Sprintf(".s%d", s.section))
	return ok
}

// hasSize is has for one of several sizes.
func (s Source) hasSize(e *histogram.Entry) bool {
	for _, series := range results.SizedSeries() {
		switch {
		case e.Tag == s.Cell.Tag(series):
			e.Tag = series
			return true
		case strings.HasPrefix(e.Tag, series): // of all sizes, or of another
			return false
		}
	}
	return true
}

// open opens the log.
func (s Source) open(path string) (io.ReadCloser, error) {
	if s.text != nil {
		return io.NopCloser(bytes.NewReader(s.text)), nil
	}
	return safefile.Open(path)
}

// LogPath returns the interval log of a cell or a file; "" for a table.
func (s Source) LogPath() string {
	switch {
	case s.section > 0:
		return filepath.Join(s.Path, "..", "..", results.IntervalsFile)
	case s.Cell != nil:
		return filepath.Join(s.Path, results.IntervalsFile)
	}
	return s.Log
}
