package load

import (
	"cmp"
	"slices"
	"sync"
)

// maxCauses bounds how many different causes of failures are kept.
const maxCauses = 10

// A Failure is one cause for which ops failed.
type Failure struct {
	Cause string `json:"cause"`
	Count int64  `json:"count"`
}

// failures counts failed ops by cause. It is off the path of the ops that
// succeed.
type failures struct {
	mu     sync.Mutex
	counts map[string]int64
}

func (f *failures) add(cause error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	text := cause.Error()
	if _, known := f.counts[text]; !known && len(f.counts) >= maxCauses {
		text = "other causes"
	}
	if f.counts == nil {
		f.counts = make(map[string]int64)
	}
	f.counts[text]++
}

// list returns the causes, the most frequent first.
func (f *failures) list() []Failure {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := make([]Failure, 0, len(f.counts))
	for cause, count := range f.counts {
		list = append(list, Failure{cause, count})
	}
	slices.SortFunc(list, func(a, b Failure) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Cause, b.Cause))
	})
	return list
}
