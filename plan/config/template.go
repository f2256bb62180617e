package config

import _ "embed"

//go:embed template.yaml
var template string

// Template returns a commented plan file to begin with. It is valid.
func Template() string { return template }
