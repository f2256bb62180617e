// A module of its own: what checks the compose files is no dependency of brokerbench.
module github.com/brokerbench/brokerbench/deploy/checks/compose

go 1.26.0
