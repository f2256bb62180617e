package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/payload"
	"github.com/brokerbench/brokerbench/plan/schedule"
)

// ofPayload is the content of messages. It reads the files of a folder, whose sizes replace the size.
func ofPayload(s *plan.Shape) kind {
	return kind{schema: matching(`^(random|compressible\(0?\.[0-9]{1,3}\)|file:.+)$`), words: []string{"random", "compressible(0.5)", "file:"}, put: func(text string) error {
		spec, err := payload.Parse(text)
		if err != nil {
			return err
		}
		s.Payload, s.Files = spec, payload.Files{}
		if spec.Dir() != "" {
			s.Files, _, err = payload.Read(spec.Dir())
			s.Size = s.Files.Largest
		}
		return err
	}}
}

// ofHeaders is a number of headers with the bytes of each.
func ofHeaders(field *plan.Headers) kind {
	count := object{"type": "integer", "minimum": 1}
	mapping := object{"type": "object", "properties": object{"count": count, "bytes": count}, "required": []string{"count", "bytes"}, "additionalProperties": false}
	return kind{schema: anyOf(matching(`^([1-9][0-9]*x[1-9][0-9]*|none)$`), mapping), mapping: true, put: into(field, plan.ParseHeaders)}
}

// ofKeys is how keys are drawn.
func ofKeys(field *schedule.Keys) kind {
	mapping := object{"type": "object", "required": []string{"count"}, "additionalProperties": false, "properties": object{
		"count": object{"type": "integer", "minimum": 1, "maximum": 1_000_000}, "skew": matching(`^zipf\([0-9]{1,2}(\.[0-9]{1,3})?\)$`), "null": matching(`^[0-9]{1,3}(\.[0-9]{1,4})? ?%$`),
	}}
	single := matching(`^([1-9][0-9]{0,6}( +zipf\([0-9]{1,2}(\.[0-9]{1,3})?\))?( +null[=:] ?[0-9]{1,3}(\.[0-9]{1,4})? ?%)?|none)$`)
	return kind{schema: anyOf(object{"type": "integer", "minimum": 1, "maximum": 1_000_000}, single, mapping), mapping: true, put: into(field, schedule.ParseKeys)}
}

// axes returns the axes with others in place of their own. It reports a size that is given beside files,
// which have sizes.
func (r *reader) axes(g grid, over map[string][]value) map[string][]value {
	all := maps.Clone(g.axes)
	if all == nil {
		all = make(map[string][]value)
	}
	maps.Copy(all, over)
	isFile := func(v value) bool { return strings.HasPrefix(v.text, "file:") }
	if i := slices.IndexFunc(all["payload"], isFile); i >= 0 && len(all["size"]) > 0 {
		r.add(all["size"][0].at, "size %s: the sizes are those of the files of payload %s: leave out the size", all["size"][0].text, quote(all["payload"][i].text))
	}
	return all
}
