# acqnp for CPUs, as a service or for single commands: docker build -t acqnp .
# The image holds the static program alone. docs/how-to/containers.md says how to serve a run with it.
FROM golang:1.26.8-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN make build

FROM scratch
COPY --from=build /src/acqnp /usr/local/bin/
ENV PATH=/usr/local/bin
USER 65532:65532
WORKDIR /work
EXPOSE 8080
ENTRYPOINT ["acqnp"]
CMD ["--help"]
