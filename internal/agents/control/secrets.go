package control

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/brokerbench/brokerbench/internal/agents/wire"
)

// Secrets are the keys of a run, which let their holder act for it. They outlive the
// coordinator's process in a folder that only its user reads, so that another process can
// resume the run.
type Secrets struct {
	Certificate []byte          `json:"certificate"` // DER
	Key         []byte          `json:"key"`         // DER
	Coordinator wire.Identity   `json:"coordinator"`
	Agents      []wire.Identity `json:"agents"`
}

// NewSecrets makes the secrets of a run with those agents.
func NewSecrets(agents []string) (s Secrets, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return s, fmt.Errorf("making the run's key: %w", err)
	}
	now := time.Now()
	description := x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: "brokerbench run"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(30 * 24 * time.Hour),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if s.Certificate, err = x509.CreateCertificate(rand.Reader, &description, &description, &key.PublicKey, key); err != nil {
		return s, fmt.Errorf("making the run's certificate: %w", err)
	}
	if s.Key, err = x509.MarshalPKCS8PrivateKey(key); err != nil {
		return s, fmt.Errorf("making the run's key: %w", err)
	}
	s.Coordinator = wire.Identity{Name: "the.coordinator", Secret: rand.Text()} // names of agents have no dots
	for _, name := range agents {
		s.Agents = append(s.Agents, wire.Identity{Name: name, Secret: rand.Text()})
	}
	return s, nil
}

// SHA256 returns the digest of the certificate, by which agents know it.
func (s Secrets) SHA256() string {
	sum := sha256.Sum256(s.Certificate)
	return hex.EncodeToString(sum[:])
}

func (s Secrets) tls() (*tls.Config, error) {
	key, err := x509.ParsePKCS8PrivateKey(s.Key)
	if err != nil {
		return nil, errors.New("the run's key cannot be read")
	}
	return &tls.Config{
		MinVersion:   tls.VersionTLS13,
		Certificates: []tls.Certificate{{Certificate: [][]byte{s.Certificate}, PrivateKey: key}},
	}, nil
}

// errOther is why a connection to a server that is not the run's ends.
var errOther = errors.New("the server's certificate is not the run's")

// pinned returns what takes the one certificate that has a digest, and no other.
func pinned(digest string) *tls.Config {
	return &tls.Config{
		MinVersion:         tls.VersionTLS13,
		InsecureSkipVerify: true, //nolint:gosec // no authority knows the run's certificate: it is compared itself
		VerifyConnection: func(state tls.ConnectionState) error {
			if len(state.PeerCertificates) == 0 {
				return errOther
			}
			if sum := sha256.Sum256(state.PeerCertificates[0].Raw); hex.EncodeToString(sum[:]) != digest {
				return errOther
			}
			return nil
		},
	}
}
