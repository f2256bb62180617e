// Package compose_test reads the compose files as docker compose does, by its own
// library, and checks what they promise.
package compose_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
)

const local = "../../local/"

// load reads a file with a profile ("" is none) in an environment.
func load(t *testing.T, file, profile string, env ...string) *types.Project {
	t.Helper()
	options, err := cli.NewProjectOptions([]string{local + file}, cli.WithProfiles([]string{profile}), cli.WithEnv(env), cli.WithName("test"))
	if err != nil {
		t.Fatal(err)
	}
	project, err := options.LoadProject(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return project
}

func TestProfiles(t *testing.T) {
	for _, c := range []struct{ file, profile, want string }{
		{"compose.yaml", "", "kafka mosquitto mosquitto-tls nats nats-tls rabbitmq rabbitmq4 redis redis-tls redis8 redis8-tls valkey valkey-tls"},
		{"containers.yaml", "", ""},
		{"containers.yaml", "one", "kafka nats rabbitmq redis"},
		{"containers.yaml", "nats", "nats1 nats2 nats3"},
		{"containers.yaml", "redis", "redis1 redis2 redis3"},
		{"containers.yaml", "valkey", "valkey1 valkey2 valkey3"},
		{"containers.yaml", "rabbitmq", "rabbitmq1 rabbitmq2 rabbitmq3"},
		{"containers.yaml", "kafka", "kafka1 kafka2 kafka3"},
	} {
		names := load(t, c.file, c.profile).ServiceNames()
		slices.Sort(names)
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s, profile %q: got %q, want %q", c.file, c.profile, got, c.want)
		}
	}
}

func TestImagesArePinned(t *testing.T) {
	for _, service := range all(t) {
		_, tag, ok := strings.Cut(service.Image, ":")
		if !ok || tag == "latest" || !strings.ContainsAny(tag, "0123456789") {
			t.Errorf("%s: the image %s names no version", service.Name, service.Image)
		}
	}
}

// By default a broker without a password cannot be reached from the network.
func TestPortsAreOfThisMachine(t *testing.T) {
	for _, service := range all(t) {
		if len(service.Ports) == 0 {
			t.Errorf("%s: no port", service.Name)
		}
		for _, port := range service.Ports {
			if port.HostIP != "127.0.0.1" {
				t.Errorf("%s: port %s listens on %q", service.Name, port.Published, port.HostIP)
			}
		}
	}
}

// up --wait can wait for each container, and nothing restarts it later.
func TestHealth(t *testing.T) {
	for _, profile := range []string{"one", "nats", "redis", "valkey", "rabbitmq", "kafka"} {
		for name, service := range load(t, "containers.yaml", profile).Services {
			check := service.HealthCheck
			switch {
			case check == nil || len(check.Test) == 0:
				t.Errorf("%s: no health check", name)
			case check.StartInterval == nil || check.StartPeriod == nil || check.Interval == nil:
				t.Errorf("%s: the health check has no times of its own", name)
			case time.Duration(*check.Interval) < time.Hour:
				t.Errorf("%s: checked every %v, which is in a measurement", name, check.Interval)
			}
		}
	}
}

func TestUsualPorts(t *testing.T) {
	first := func(profile, service string) string {
		return load(t, "containers.yaml", profile).Services[service].Ports[0].Published
	}
	for broker, want := range map[string]string{"nats": "4222", "redis": "6379", "rabbitmq": "5672", "kafka": "9092"} {
		if got := first("one", broker); got != want {
			t.Errorf("%s alone is at %s, want its usual port %s", broker, got, want)
		}
		if got := first(broker, broker+"1"); got != want {
			t.Errorf("%s's first of three is at %s, want its usual port %s", broker, got, want)
		}
	}
}

// On a separate machine a broker listens at its network address and advertises it.
func TestBrokerHost(t *testing.T) {
	project := load(t, "containers.yaml", "one", "BROKER_HOST=10.77.0.5")
	for name, service := range project.Services {
		for _, port := range service.Ports {
			if port.HostIP != "10.77.0.5" {
				t.Errorf("%s: port %s listens on %q", name, port.Published, port.HostIP)
			}
		}
	}
	if got := *project.Services["kafka"].Environment["KAFKA_ADVERTISED_LISTENERS"]; !strings.Contains(got, "CLIENT://10.77.0.5:9092") {
		t.Errorf("Kafka tells its clients %s", got)
	}
	if got := project.Configs["rabbitmq"].Content; !strings.Contains(got, "stream.advertised_host = 10.77.0.5") {
		t.Errorf("RabbitMQ's streams tell their clients %s", got)
	}
}

func all(t *testing.T) (services []types.ServiceConfig) {
	t.Helper()
	services = append(services, slices.Collect(maps.Values(load(t, "compose.yaml", "").Services))...)
	for _, profile := range []string{"one", "nats", "redis", "valkey", "rabbitmq", "kafka"} {
		services = append(services, slices.Collect(maps.Values(load(t, "containers.yaml", profile).Services))...)
	}
	return services
}
