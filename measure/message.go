package measure

import (
	"fmt"
	"math/rand/v2"

	"github.com/brokerbench/brokerbench/plan"
	"github.com/brokerbench/brokerbench/plan/payload"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/results"
)

// prepare reads what the messages of a cell contain, and gives the factory their headers. Contents other
// than random bytes stay intact if the stamp can travel in a header; a setting says where it is.
func prepare(f requester.Factory, cell plan.Cell) (payload.Contents, []results.Setting, error) {
	s := cell.Shape
	contents, err := s.Payload.Contents(s.Files)
	if err == nil && s.Keys.Count > 0 {
		err = requester.Key(f, Keys(s, cell.Schedule().Seed))
	}
	h := Headers(s, cell.Settings.Seed)
	if err != nil || h.None() {
		return contents, nil, err
	}
	err = requester.Carry(f, h)
	switch {
	case err == nil && h.Stamp:
		contents.Beside = true
		return contents, []results.Setting{{Name: "stamp", Value: "in the header " + requester.StampHeader}}, nil
	case err != nil && len(h.Fixed) == 0:
		return contents, []results.Setting{{Name: "stamp", Value: fmt.Sprintf("in the first %d bytes of each message: %v", requester.StampSize, err)}}, nil
	case err != nil:
		err = fmt.Errorf("%s: %w (leave out the headers)", s.Headers.Text(), err)
	}
	return contents, nil, err
}

// Keys returns the keys of the messages of a shape, which the seed of its schedule decides. The first is the
// most frequent.
func Keys(s plan.Shape, seed uint64) requester.Keys {
	k := requester.Keys{Of: s.Keys.Deal(seed).Key, Names: make([]string, s.Keys.Count)}
	for i := range k.Names {
		k.Names[i] = fmt.Sprintf("key-%d", i)
	}
	return k
}

// Headers returns the headers of the messages of a shape, which the seed decides.
func Headers(s plan.Shape, seed uint64) requester.Headers {
	h := requester.Headers{Stamp: s.Payload != ""}
	draw := rand.New(rand.NewPCG(seed, uint64(s.Headers.Count))) //nolint:gosec // not a secret
	for i := range s.Headers.Count {
		value := make([]byte, s.Headers.Bytes)
		for j := range value {
			value[j] = "abcdefghijklmnopqrstuvwxyz0123456789"[draw.IntN(36)]
		}
		h.Fixed = append(h.Fixed, requester.Header{Name: fmt.Sprintf("header-%d", i+1), Value: string(value)})
	}
	return h
}
