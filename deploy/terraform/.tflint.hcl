# The rules that need no cloud: what is declared is used, typed and described.
plugin "terraform" {
  enabled = true
  preset  = "all"
}
