package cluster

import (
	"cmp"
	"context"
	"errors"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
)

// TopicConfig returns the settings in force of a topic, without those that the broker does not
// reveal, which may be all. The broker that is asked may not know the topic yet.
func TopicConfig(ctx context.Context, admin *kadm.Client, topic string) (config map[string]string, err error) {
	err = Poll(ctx, func() (bool, error) {
		described, err := admin.DescribeTopicConfigs(ctx, topic)
		if err != nil {
			return true, ctx.Err()
		}
		of, err := described.On(topic, nil)
		config = settings(of)
		return !errors.Is(cmp.Or(err, of.Err), kerr.UnknownTopicOrPartition), nil
	})
	return config, err
}

// settings returns the settings of a resource.
func settings(of kadm.ResourceConfig) map[string]string {
	values := make(map[string]string)
	for _, c := range of.Configs {
		values[c.Key] = c.MaybeValue()
	}
	return values
}

// BrokerConfigs asks each broker for its configuration.
func BrokerConfigs(ctx context.Context, admin *kadm.Client, ids []int32) (all []map[string]string, err error) {
	described, err := admin.DescribeBrokerConfigs(ctx, ids...)
	if err != nil {
		return nil, err
	}
	for _, broker := range described {
		if broker.Err != nil {
			return nil, broker.Err
		}
		all = append(all, settings(broker))
	}
	return all, nil
}
