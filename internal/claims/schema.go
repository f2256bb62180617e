package claims

import _ "embed" // of the schema

// Schema is the JSON Schema (draft 2020-12) of the file of claims, for editors.
//
//go:embed schema.json
var Schema string
