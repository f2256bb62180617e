package config

import (
	"strings"

	"github.com/brokerbench/brokerbench/internal/config/number"
	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/schedule"
	"go.yaml.in/yaml/v4"
)

// Several sizes with their weights are written 256B:90%,64KiB:10%. A list of sizes has commas, too:
// the weighted ones that follow each other are together until they add up to 100 %.
const (
	oneWeighted  = `[0-9]+(\.[0-9]+)? ?([bB]|[kKmMgG][iI]?[bB])? ?: ?[0-9]+(\.[0-9]+)? ?%`
	weightedText = `^` + oneWeighted + `( ?, ?` + oneWeighted + `)+$`
)

// ofSizes is one size, or several with their weights.
func ofSizes(s *plan.Shape) kind {
	one := ofSize(&s.Size)
	put := one.put
	one.put = func(text string) error {
		if !strings.ContainsAny(text, ":%") {
			s.Sizes = ""
			return put(text)
		}
		sizes, err := number.Sizes(text)
		if err == nil {
			s.Size, s.Sizes = 0, sizes
		}
		return err
	}
	weights := object{"type": "object", "minProperties": 2, "maxProperties": schedule.MostSizes, "additionalProperties": matching(`^[0-9]+(\.[0-9]+)? ?%$`)}
	one.schema = anyOf(one.schema, matching(weightedText), weights)
	one.mapping = true
	return one
}

// ofBacklog is a number of messages, or bytes with their unit, or none.
func ofBacklog(field *plan.Backlog) kind {
	text := matching(`^([0-9]+(\.[0-9]+)? ?([kKM]|[bB]|[kKmMgG][iI]?[bB])?|none)$`)
	return kind{words: []string{"none"}, schema: anyOf(object{"type": "integer", "minimum": 1}, text), put: into(field, func(text string) (b plan.Backlog, err error) {
		b.Messages, b.Bytes, err = number.Backlog(text)
		return b, err
	})}
}

// ofStore is bytes with their unit, or none.
func ofStore(field *int64) kind {
	text := matching(`^([0-9]+(\.[0-9]+)? ?([bB]|[kKmMgG][iI]?[bB])|none)$`)
	return kind{words: []string{"none"}, schema: text, put: into(field, number.Store)}
}

// weightsTogether puts weighted sizes together which commas split, until they add up to 100 %.
func weightsTogether(values []value) (whole []value) {
	sum := int64(0) // of the last
	for _, v := range values {
		_, weight, is := strings.Cut(v.text, ":")
		if !is || strings.Contains(v.text, ",") { // not split
			whole, sum = append(whole, v), 0
			continue
		}
		ppm, _ := schedule.ParseShare(strings.TrimRight(weight, " %")) // what is wrong is reported when it is read
		if sum > 0 && sum < 1_000_000 {
			whole[len(whole)-1].text += "," + v.text
		} else {
			whole, sum = append(whole, v), 0
		}
		sum += max(ppm, 1)
	}
	return whole
}

// weights writes a mapping of a plan file, {256B: 90%, 64KiB: 10%}, as text.
func weights(n *yaml.Node) string {
	list, all := []string(nil), items(n)
	for i := 0; i+1 < len(all); i += 2 {
		list = append(list, all[i].Value+":"+all[i+1].Value)
	}
	return strings.Join(list, ",")
}
