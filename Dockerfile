# Countersign as a container: `serve` on standard input and output, or `sandbox` as a service. `docs/setup.md` says how
# to run it; `npm run image` builds and runs it.
FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run --silent build
WORKDIR /app
RUN cp -r /build/package.json /build/package-lock.json /build/LICENSE /build/dist .
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24-bookworm-slim
COPY --from=build /app /app
RUN ln -s /app/dist/countersign.js /usr/local/bin/countersign && mkdir -m 700 /data && chown 10001:10001 /data
ENV COUNTERSIGN_HOME=/data COUNTERSIGN_NO_BROWSER=1 NODE_ENV=production
VOLUME /data
USER 10001:10001
ENTRYPOINT ["countersign"]
CMD ["serve"]
