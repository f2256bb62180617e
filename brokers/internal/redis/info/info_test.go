package info

import (
	"fmt"
	"testing"
)

func TestWhoIsTheMaster(t *testing.T) {
	for _, c := range []struct{ info, want string }{
		{
			"# Replication\r\nrole:master\r\nconnected_slaves:2\r\nslave0:ip=127.0.0.1,port=6380,state=online,offset=14,lag=1\r\nslave1:ip=127.0.0.1,port=6381,state=wait_bgsave,offset=0,lag=0\r\n",
			"h:6379 [127.0.0.1:6380 127.0.0.1:6381] 2/3 <nil>",
		},
		{"role:master\r\nslave0:ip=h2,port=1,state=online,offset=1,lag=7\r\n", "h:6379 [h2:1] 1/2 <nil>"},
		{"role:master\r\n", "h:6379 [] 1/1 <nil>"},
		{"role:slave\r\nmaster_host:m\r\nmaster_port:7\r\nmaster_link_status:up\r\n", "m:7 [h:6379] 0/0 <nil>"},
		{"role:slave\r\nmaster_host:m\r\nmaster_port:7\r\nmaster_link_status:down\r\n", "m:7 [h:6379] 0/0 h:6379 is a replica of m:7, which does not answer it"},
	} {
		l, err := Leadership(c.info, "h:6379")
		if got := fmt.Sprintf("%s %v %d/%d %v", l.Leader, l.Followers, l.InStep, l.Copies, err); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

func TestPubsubLimit(t *testing.T) {
	tests := []struct {
		value string
		want  int64
	}{
		{"normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60", 33554432},
		{"pubsub 0 0 0", 0},
		{"normal 0 0 0", 0},
		{"pubsub", 0},
		{"", 0},
	}
	for _, tt := range tests {
		if got := PubsubLimit(tt.value); got != tt.want {
			t.Errorf("PubsubLimit(%q) = %d, want %d", tt.value, got, tt.want)
		}
	}
}
