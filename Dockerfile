# acqnp for CPUs, as a service or for single commands: docker build -t acqnp .
# The image holds the static program and the configurations. docs/how-to/serve.md says how to
# serve a run with it. .ci/nightly image builds it on a machine without Docker and runs it.
# --build-arg GO=1.27.0 builds with a newer Go.
ARG GO=1.26.11
FROM golang:${GO}-trixie AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN make build
# Folders for the image's user, who then owns new volumes. scratch has no shell to make them.
RUN mkdir -p bin/work/data bin/work/runs

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /src/acqnp /usr/local/bin/
COPY --from=build --chown=65532:65532 /src/bin/work /work
ENV PATH=/usr/local/bin
USER 65532:65532
WORKDIR /work
COPY configs configs
EXPOSE 8080
# Asks the server in this container, at serve's own port. It is for serve: docker run
# --no-healthcheck switches it off for a long training.
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s CMD ["acqnp", "serve", "--check"]
# docker build --build-arg REVISION="$(git rev-parse HEAD)" names the commit.
ARG REVISION=unknown
LABEL org.opencontainers.image.title="acqnp" \
      org.opencontainers.image.description="Distributions of an outcome for new groups with few known points" \
      org.opencontainers.image.version="0.3.0" \
      org.opencontainers.image.revision="$REVISION" \
      org.opencontainers.image.source="https://github.com/acqnp/acqnp" \
      org.opencontainers.image.licenses="MIT"
ENTRYPOINT ["acqnp"]
CMD ["--help"]
