# The service with a browser and fonts, as an ordinary user. See docs/service.md.
FROM python:3.13-slim-bookworm AS build

# The core is compiled here, so that the image needs no compiler.
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev
WORKDIR /build
COPY requirements/service.lock requirements/
RUN pip install --no-cache-dir --no-deps --require-hashes -r requirements/service.lock
COPY pyproject.toml README.md LICENSE NOTICE ./
COPY scripts/compile.py scripts/package_page.py scripts/
COPY docs/tearsheet.1 docs/
COPY src src
RUN pip wheel --no-cache-dir --no-deps --no-build-isolation --wheel-dir /wheels .

FROM python:3.13-slim-bookworm

RUN apt-get update \
 && apt-get install -y --no-install-recommends chromium-headless-shell fonts-noto-core fonts-noto-cjk \
 && rm -rf /var/lib/apt/lists/*

WORKDIR /app
COPY requirements/service.lock requirements/
RUN pip install --no-cache-dir --no-deps --require-hashes -r requirements/service.lock
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels pip install --no-cache-dir --no-deps /wheels/*.whl

RUN useradd --create-home tearsheet && install -d -o tearsheet /data
USER tearsheet
VOLUME /data
EXPOSE 8484
# Clients send the token in TEARSHEET_TOKEN, or else that of the store: tearsheet store token /data/tearsheet.db
CMD ["tearsheet", "serve", "--host", "0.0.0.0", "--store", "/data/tearsheet.db"]
