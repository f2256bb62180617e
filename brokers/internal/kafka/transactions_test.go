package kafka

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/brokerbench/brokerbench/brokers/internal/brokertest"
	"github.com/brokerbench/brokerbench/requester"
	"github.com/brokerbench/brokerbench/requester/requestertest"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// exactly are the options that all transactions need.
const exactly = "acks=all&idempotent=true&transactions="

var transacting = []string{exactly + "each", exactly + "20ms", exactly + "5ms&partitions=3&isolation=read_uncommitted"}

func TestTransactionsRoundTrip(t *testing.T) {
	for _, options := range transacting {
		t.Run(options, func(t *testing.T) { testSizes(t, open(t, brokertest.URL(t, "KAFKA"), options)) })
	}
}

func TestFakeTransactionsRoundTrip(t *testing.T) {
	url, _ := fake(t)
	for _, options := range transacting {
		t.Run(options, func(t *testing.T) { testSizes(t, open(t, url, options)) })
	}
}

func TestTransactionsConform(t *testing.T) {
	brokertest.Each(t, transacting[1:], func(t *testing.T, options string) { // with one transaction for each message it takes minutes
		f := running(t, options)
		brokertest.WantAcknowledges(t, f, true)
		requestertest.Run(t, f)
		t.Log(f.Measured())
	})
}

func TestAuditReadsTransactions(t *testing.T) {
	requestertest.AuditReadsAll(t, open(t, brokertest.URL(t, "KAFKA"), exactly+"20ms"), 3000, 1000, 2)
	requestertest.AuditReadsAll(t, open(t, brokertest.URL(t, "KAFKA"), exactly+"each&partitions=2"), 30, 100, 1)
}

// What was never committed is not in the store, even if it is in the log.
func TestAuditReadsOnlyWhatIsCommitted(t *testing.T) {
	testAuditReadsOnlyWhatIsCommitted(t, brokertest.URL(t, "KAFKA"))
}

func TestFakeAuditReadsOnlyWhatIsCommitted(t *testing.T) {
	url, _ := fake(t)
	testAuditReadsOnlyWhatIsCommitted(t, url)
}

func testAuditReadsOnlyWhatIsCommitted(t *testing.T, url string) {
	f := open(t, url, exactly+"5ms&isolation=read_uncommitted")
	requestertest.Store(t, f, 0, 20, 100)
	other, err := kgo.NewClient(append(f.adminOpts(), kgo.TransactionalID(f.topic(0)+"-other"), kgo.RecordPartitioner(kgo.ManualPartitioner()))...)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := other.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	record := &kgo.Record{Topic: f.topic(0), Value: requestertest.Payload(0, 20, 100)}
	if err := other.ProduceSync(t.Context(), record).FirstErr(); err != nil {
		t.Fatal(err)
	}
	if err := other.EndTransaction(t.Context(), kgo.TryAbort); err != nil {
		t.Fatal(err)
	}
	brokertest.AuditMisses(t, f, 21, 20)
}

// acknowledged makes a connection and returns it with what is acknowledged on it.
func acknowledged(t *testing.T, f *Factory) (*requestertest.Link, chan uint64) {
	t.Helper()
	l := requestertest.NewLink(t, f, 0)
	acks := make(chan uint64, 100_000)
	l.Acked = func(p []byte) {
		stamp, _ := requester.ReadStamp(p)
		acks <- stamp.Seq
	}
	if err := l.Begin(); err != nil {
		t.Fatal(err)
	}
	return l, acks
}

// While a transaction ends, requests do not wait: they are in the next one.
func TestFakeRequestDoesNotWaitForACommit(t *testing.T) {
	url, cluster := fake(t)
	l, acks := acknowledged(t, open(t, url, exactly+"each"))
	inside, release := make(chan struct{}), make(chan struct{})
	cluster.ControlKey(int16(kmsg.EndTxn), func(kmsg.Request) (kmsg.Response, error, bool) {
		cluster.DropControl()
		cluster.SleepControl(func() { close(inside); <-release })
		return nil, nil, false
	})
	l.Send(t, requestertest.Payload(0, 0, 100))
	<-inside
	for seq := range uint64(50) {
		l.Send(t, requestertest.Payload(0, 1+seq, 100))
	}
	if len(acks) > 0 || len(l.Replies) > 0 {
		t.Errorf("%d acknowledged, %d delivered before the first commit", len(acks), len(l.Replies))
	}
	close(release)
	for want := range uint64(51) {
		if got := <-acks; got != want {
			t.Fatalf("message %d was acknowledged, want %d", got, want)
		}
		l.Next(t)
	}
}

// A message that the broker refuses ends its transaction: nothing of it is acknowledged
// or delivered, all of it has failed, and the next transaction is as good as any.
func TestFakeARefusalAbortsItsTransaction(t *testing.T) {
	url, cluster := fake(t)
	f := open(t, url, exactly+"1s&partitions=2") // long enough for ten messages on a busy machine, too
	l, acks := acknowledged(t, f)
	cluster.ControlKey(int16(kmsg.Produce), refusal(1, kerr.MessageTooLarge))
	for seq := range uint64(10) {
		l.Send(t, requestertest.Payload(0, seq, 100))
	}
	for range 10 {
		failed := l.WantFailure(t, "its transaction was aborted")
		brokertest.WantFault(t, failed.Cause, "max-message-bytes")
	}
	for seq := range uint64(10) {
		l.Send(t, requestertest.Payload(0, 10+seq, 100))
	}
	for seq := range uint64(10) {
		stamp, _ := requester.ReadStamp(l.Next(t))
		if stamp.Seq < 10 {
			t.Errorf("message %d was delivered", stamp.Seq)
		}
		if got := <-acks; got < 10 {
			t.Errorf("message %d of %d was acknowledged", got, seq)
		}
	}
	if got := value(f, "aborted"); got != "1" {
		t.Errorf("%s aborted", got)
	}
}

// refusal answers the parts of one produce request that are for a partition.
func refusal(partition int32, with *kerr.Error) func(kmsg.Request) (kmsg.Response, error, bool) {
	return func(request kmsg.Request) (kmsg.Response, error, bool) {
		produce := request.(*kmsg.ProduceRequest)
		for _, topic := range produce.Topics {
			for _, p := range topic.Partitions {
				if p.Partition != partition {
					continue
				}
				response := produce.ResponseKind().(*kmsg.ProduceResponse)
				refused := kmsg.NewProduceResponseTopic()
				refused.Topic, refused.TopicID = topic.Topic, topic.TopicID
				for _, p := range topic.Partitions {
					answer := kmsg.NewProduceResponseTopicPartition()
					answer.Partition, answer.ErrorCode = p.Partition, with.Code
					refused.Partitions = append(refused.Partitions, answer)
				}
				response.Topics = append(response.Topics, refused)
				return response, nil, true
			}
		}
		return nil, nil, false
	}
}

// endTxn lets the coordinator answer EndTxn with an error, for as long as it is told to.
func endTxn(cluster *kfake.Cluster, keep bool, with *kerr.Error) {
	cluster.ControlKey(int16(kmsg.EndTxn), func(request kmsg.Request) (kmsg.Response, error, bool) {
		if keep {
			cluster.KeepControl()
		}
		response := request.ResponseKind().(*kmsg.EndTxnResponse)
		response.ErrorCode = with.Code
		return response, nil, true
	})
}

// A producer that another one has fenced off can make no transaction any more: what waits
// fails, and so does each further request, with the cause.
func TestFakeAFencedProducerFailsAll(t *testing.T) {
	url, cluster := fake(t)
	l, acks := acknowledged(t, open(t, url, exactly+"each"))
	endTxn(cluster, true, kerr.ProducerFenced)
	for seq := range uint64(3) {
		l.Send(t, requestertest.Payload(0, seq, 100))
	}
	l.WantFailure(t, "its transaction was aborted", "PRODUCER_FENCED")
	requestertest.Until(t, "a request that is refused", func() bool {
		err := l.Request(t.Context(), requestertest.Payload(0, 9, 100))
		return err != nil && strings.Contains(err.Error(), "PRODUCER_FENCED")
	})
	if len(acks) > 0 || len(l.Replies) > 0 {
		t.Errorf("%d acknowledged, %d delivered", len(acks), len(l.Replies))
	}
}

// A commit that the coordinator has not answered may have come to pass: what is in it has
// not failed, and was not acknowledged.
func TestFakeACommitWithoutAnAnswerPromisesNothing(t *testing.T) {
	url, cluster := fake(t)
	l, acks := acknowledged(t, open(t, url, exactly+"each"))
	endTxn(cluster, false, kerr.UnknownServerError)
	l.Send(t, requestertest.Payload(0, 0, 100))
	l.WantEvents(t, "the outcome is not known")
	l.Send(t, requestertest.Payload(0, 1, 100))
	if got := <-acks; got != 1 {
		t.Errorf("message %d was acknowledged", got)
	}
	if len(l.Failures) > 0 {
		t.Error("a failure")
	}
}

// Teardown waits for no transaction, and nothing is told after it.
func TestFakeTeardownEndsATransaction(t *testing.T) {
	url, cluster := fake(t)
	f := open(t, url, exactly+"5s")
	l, acks := acknowledged(t, f)
	l.Send(t, requestertest.Payload(0, 0, 100))
	requestertest.Until(t, "a message in the transaction", func() bool {
		tr := l.Requester.(*conn).transactor
		tr.mu.Lock()
		defer tr.mu.Unlock()
		return len(tr.inside) == 1
	})
	begun := time.Now()
	l.End(t)
	if took := time.Since(begun); took > 3*time.Second {
		t.Errorf("Teardown took %v", took)
	}
	if len(acks)+len(l.Replies)+len(l.Failures) > 0 {
		t.Error("something was told of a transaction that was aborted")
	}
	if left := topics(t, f); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	_ = cluster
}

func TestFakeTeardownWithoutAnAnswerToACommit(t *testing.T) {
	url, cluster := fake(t)
	l, _ := acknowledged(t, open(t, url, exactly+"each"))
	asked := make(chan struct{}, 10)
	cluster.ControlKey(int16(kmsg.EndTxn), func(kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		select {
		case asked <- struct{}{}:
		default:
		}
		return nil, nil, true // no answer
	})
	l.Send(t, requestertest.Payload(0, 0, 100))
	<-asked
	begun := time.Now()
	l.End(t)
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("Teardown took %v", took)
	}
}

// Who may write to the topic but make no transaction, or finds no coordinator, is told so.
func TestFakeTransactionsRefused(t *testing.T) {
	url, cluster := fake(t)
	refuse := func(with *kerr.Error) {
		cluster.ControlKey(int16(kmsg.InitProducerID), func(request kmsg.Request) (kmsg.Response, error, bool) {
			cluster.KeepControl()
			response := request.ResponseKind().(*kmsg.InitProducerIDResponse)
			response.ErrorCode = with.Code
			return response, nil, true
		})
	}
	refuse(kerr.TransactionalIDAuthorizationFailed)
	l := requestertest.NewLink(t, open(t, url, exactly+"each"), 0)
	brokertest.WantFault(t, l.Begin(), "must be allowed to describe and write transactional IDs")
}

func TestFakeNoTransactionCoordinator(t *testing.T) {
	url, cluster := fake(t)
	cluster.ControlKey(int16(kmsg.FindCoordinator), func(request kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		response := request.ResponseKind().(*kmsg.FindCoordinatorResponse)
		response.ErrorCode = kerr.CoordinatorNotAvailable.Code
		for _, key := range request.(*kmsg.FindCoordinatorRequest).CoordinatorKeys {
			answer := kmsg.NewFindCoordinatorResponseCoordinator()
			answer.Key, answer.ErrorCode = key, kerr.CoordinatorNotAvailable.Code
			response.Coordinators = append(response.Coordinators, answer)
		}
		return response, nil, true
	})
	l := requestertest.NewLink(t, open(t, url, exactly+"each"), 0)
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	err := l.Setup(ctx)
	brokertest.WantFault(t, err, "transaction.state.log.replication.factor")
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the cause is not kept: %v", err)
	}
}

// The topic is deleted when the coordinator has ended the last transaction, not before.
func TestFakeTeardownAwaitsTheEndOfATransaction(t *testing.T) {
	url, cluster := fake(t)
	l, _ := acknowledged(t, open(t, url, exactly+"each"))
	l.RoundTrip(t, requestertest.Payload(0, 0, 100))
	asked := make(chan struct{}, 10)
	cluster.ControlKey(int16(kmsg.DescribeTransactions), func(request kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		asked <- struct{}{}
		response := request.ResponseKind().(*kmsg.DescribeTransactionsResponse)
		state := kmsg.NewDescribeTransactionsResponseTransactionState()
		state.TransactionalID, state.State = request.(*kmsg.DescribeTransactionsRequest).TransactionalIDs[0], "PrepareAbort"
		if len(asked) == 3 {
			state.State = "CompleteAbort"
		}
		response.TransactionStates = append(response.TransactionStates, state)
		return response, nil, true
	})
	var before atomic.Int64
	cluster.ControlKey(int16(kmsg.DeleteTopics), func(kmsg.Request) (kmsg.Response, error, bool) {
		before.Store(int64(len(asked)))
		return nil, nil, false
	})
	l.End(t)
	if before.Load() != 3 {
		t.Errorf("the coordinator was asked %d times before the topic was deleted, want 3", before.Load())
	}
}
