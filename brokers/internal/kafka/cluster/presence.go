package cluster

import (
	"sync"
	"time"
)

// hasty is how long a connection that ends waits for a cluster that was silent to another one.
const hasty = 200 * time.Millisecond

// A Presence is whether a cluster answers the connections that end. Thousands of them that each wait for one that is
// away would add up. The zero Presence is of a cluster that answers. It is safe for concurrent use.
type Presence struct {
	mu      sync.Mutex
	answers int
	away    bool
}

// Answered notes that the cluster has answered.
func (p *Presence) Answered() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answers++
	p.away = false
}

// Ask begins a question to the cluster, and returns a function that notes that it had no answer. The cluster is away
// then, unless it has answered another question in the meantime: it is slow.
func (p *Presence) Ask() (silent func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.answers
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.away = p.away || p.answers == before
	}
}

// Patience returns how long to wait for an answer: the limit, or briefly if the cluster is away.
func (p *Presence) Patience(limit time.Duration) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.away {
		return min(limit, hasty)
	}
	return limit
}
