package cluster

import (
	"context"
	"errors"
	"slices"
)

// A poll asks nodes for their views, each node once.
type poll struct {
	ask     func(ctx context.Context, addr string) (*View, error)
	answers chan answer
	asked   []string
	waiting int // for so many answers

	newest *View    // nil: none yet
	heard  []string // the nodes that answered
	errs   []error  // of the others
}

type answer struct {
	addr string
	view *View
	err  error
}

// add asks those of the nodes that have not been asked. Their answers may come until ctx ends.
func (p *poll) add(ctx context.Context, addrs ...string) {
	for _, addr := range addrs {
		if slices.Contains(p.asked, addr) {
			continue
		}
		p.asked = append(p.asked, addr)
		p.waiting++
		go func() {
			view, err := p.ask(ctx, addr)
			select {
			case p.answers <- answer{addr, view, err}:
			case <-ctx.Done():
			}
		}()
	}
}

// take notes an answer, and asks the masters that it names. done reports whether most masters have answered.
func (p *poll) take(ctx context.Context, a answer) (done bool) {
	p.waiting--
	if a.err != nil {
		p.errs = append(p.errs, a.err)
		return false
	}
	p.heard = append(p.heard, a.addr)
	if a.view.newer(p.newest) {
		p.newest = a.view
	}
	p.add(ctx, a.view.nodes(1)...)
	return p.newest.most(p.heard)
}

// ask asks the seeds and the masters until most masters have answered, and returns the newest view. The views of
// fewer have to do if no other node answers before ctx ends.
func (s *Slots) ask(ctx context.Context) (*View, error) {
	polling, cancel := context.WithCancel(ctx)
	defer cancel()
	p := poll{ask: s.Ask, answers: make(chan answer)}
	p.add(polling, append(s.view.nodes(1), s.Seeds...)...)
	for p.waiting > 0 {
		select {
		case a := <-p.answers:
			if p.take(polling, a) {
				return p.newest, nil
			}
		case <-ctx.Done():
			p.errs, p.waiting = append(p.errs, ctx.Err()), 0
		}
		if p.waiting == 0 && p.newest == nil && ctx.Err() == nil {
			p.add(polling, s.view.nodes(1<<10)...) // replicas, which may be all that is left
		}
	}
	if p.newest == nil {
		return nil, errors.Join(p.errs...)
	}
	return p.newest, nil
}
