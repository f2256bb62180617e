package redis

import (
	"context"
	"sync"

	"github.com/brokerbench/brokerbench/requester"
	"github.com/redis/go-redis/v9"
)

// pipelined is what this package would be without a publisher of its own: a
// goroutine that sends what has queued up with go-redis's Pipeline. It is here to
// be compared.
type pipelined struct {
	*conn
	client *redis.Client
	queue  chan []byte
	spare  sync.Pool
	done   sync.WaitGroup
}

type pipelinedFactory struct{ *Factory }

func openPipelined(url, run string) (pipelinedFactory, error) {
	f, err := Open(url, run)
	return pipelinedFactory{f}, err
}

func (f pipelinedFactory) New(number int, reply requester.Reply) (requester.Requester, error) {
	return &pipelined{conn: newConn(f.Factory, number, reply), queue: make(chan []byte, 1000)}, nil
}

func (p *pipelined) Setup(ctx context.Context) error {
	if err := p.conn.Setup(ctx); err != nil {
		return err
	}
	p.client = p.factory.client(newLine(p.factory).dial)
	p.done.Go(p.send)
	return nil
}

func (p *pipelined) Request(_ context.Context, payload []byte) error {
	spare, _ := p.spare.Get().(*[]byte)
	if spare == nil {
		spare = new([]byte)
	}
	p.queue <- append((*spare)[:0], payload...)
	return nil
}

func (p *pipelined) send() {
	ctx := context.Background()
	for payload := range p.queue {
		batch := [][]byte{payload}
		for more := true; more; {
			select {
			case payload, ok := <-p.queue:
				if more = ok; ok {
					batch = append(batch, payload)
				}
			default:
				more = false
			}
		}
		_, _ = p.client.Pipelined(ctx, func(pipe redis.Pipeliner) error {
			for _, payload := range batch {
				pipe.Publish(ctx, p.channel, payload)
			}
			return nil
		})
		for i := range batch {
			p.spare.Put(&batch[i])
		}
	}
}

func (p *pipelined) Teardown(ctx context.Context) error {
	if p.client != nil {
		close(p.queue)
		p.done.Wait()
		_ = p.client.Close()
		p.client = nil
	}
	return p.conn.Teardown(ctx)
}
