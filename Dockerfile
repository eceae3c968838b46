# The image of web, worker and beat. docs/server.md says how to use it with compose.yaml.
FROM python:3.11-slim-trixie AS help
WORKDIR /build
COPY deploy/help deploy/help
RUN pip install --no-cache-dir --disable-pip-version-check --require-hashes -r deploy/help/requirements.lock
COPY mkdocs.yml CHANGELOG.md CONTRIBUTING.md SECURITY.md ./
COPY docs docs
RUN NO_MKDOCS_2_WARNING=1 mkdocs build --quiet --strict

FROM python:3.11-slim-trixie AS build
WORKDIR /build
RUN python -m venv /opt/vertex
COPY requirements.lock ./
RUN /opt/vertex/bin/pip install --no-cache-dir --disable-pip-version-check --require-hashes -r requirements.lock
COPY pyproject.toml setup.py README.md LICENSE Procfile ./
COPY vertex vertex
COPY vertex_spark vertex_spark
COPY extraction extraction
COPY annotations annotations
COPY templates templates
COPY static static
COPY docs docs
COPY locale locale
COPY --from=help /build/build/help build/help
RUN /opt/vertex/bin/pip install --no-cache-dir --disable-pip-version-check --no-deps .

FROM python:3.11-slim-trixie
# Chromium draws pages and previews. The fonts are for pages in other scripts.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends chromium fonts-liberation fonts-noto-core fonts-noto-cjk \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --user-group --home-dir /var/lib/vertex --shell /usr/sbin/nologin vertex \
    && install --directory --owner vertex --group vertex --mode 0750 /var/lib/vertex
COPY --from=build /opt/vertex /opt/vertex
ENV PATH=/opt/vertex/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    VERTEX_VAR_DIR=/var/lib/vertex \
    VERTEX_CHROMIUM=/usr/bin/chromium
USER vertex
WORKDIR /var/lib/vertex
VOLUME /var/lib/vertex
EXPOSE 8000
CMD ["python", "-m", "gunicorn", "vertex.wsgi", "--bind", "0.0.0.0:8000", "--worker-class", "vertex.web_worker.LimitedWorker", "--workers", "1", "--threads", "8", "--timeout", "120", "--keep-alive", "130", "--graceful-timeout", "5", "--no-control-socket"]
