#!/bin/sh
# Writes the tables of the documentation from the CSV files of research/data.
cd "$(dirname "$0")/.." && WRITE_TABLES=1 go test -count=1 -run TablesAreThoseOfTheData ./internal/test/docs
