package brokerbench_test

import (
	"net/url"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	inlineLink    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	referenceLink = regexp.MustCompile(`^\[[^\]]+\]: (\S+)`)
	heading       = regexp.MustCompile(`^#+ (.*)`)
	notInAnchors  = regexp.MustCompile(`[^\pL\pN_ -]`)
)

// TestLinks follows every link between the pages, to the heading.
func TestLinks(t *testing.T) {
	anchors := make(map[string][]string) // by page
	for _, page := range pages(t) {
		for _, line := range markdown(t, page) {
			if m := heading.FindStringSubmatch(line.text); m != nil {
				anchors[page] = append(anchors[page], anchor(m[1]))
			}
		}
	}
	for _, page := range pages(t) {
		for _, line := range markdown(t, page) {
			for _, link := range append(inlineLink.FindAllStringSubmatch(line.text, -1), referenceLink.FindAllStringSubmatch(line.text, -1)...) {
				if !leads(page, link[1], anchors) {
					t.Errorf("%s:%d: the link %s leads nowhere", page, line.line, link[1])
				}
			}
		}
	}
}

// leads tells whether a link on a page has an end. Links to other sites are not tried.
func leads(page, link string, anchors map[string][]string) bool {
	u, err := url.Parse(link)
	if err != nil || u.Scheme != "" {
		return err == nil
	}
	to := page
	if u.Path != "" {
		to = path.Join(path.Dir(page), u.Path)
	}
	if _, err := os.Stat(to); err != nil {
		return false
	}
	return u.Fragment == "" || !strings.HasSuffix(to, ".md") || slices.Contains(anchors[to], u.Fragment)
}

// anchor returns the name that GitHub gives to a heading.
func anchor(title string) string {
	title = inlineLink.ReplaceAllString(title, "]")
	return strings.ReplaceAll(notInAnchors.ReplaceAllString(strings.ToLower(title), ""), " ", "-")
}
