# An image for each tool: docker build --target mq-oracle|mq-conform|mq-audit -t mq-audit .   (docs/install.md)
ARG PYTHON=3.12
FROM python:${PYTHON}-slim AS wheel
WORKDIR /src
COPY pyproject.toml hatch_build.py README.md LICENSE ./
COPY oracle oracle
COPY conformance conformance
COPY spark_checks spark_checks
RUN pip wheel --no-deps --wheel-dir /wheels .

FROM python:${PYTHON}-slim AS small
COPY --from=wheel /wheels /wheels
RUN pip install --no-cache-dir /wheels/*.whl && useradd --create-home mq
USER mq
WORKDIR /work

FROM small AS mq-oracle
EXPOSE 1414
ENTRYPOINT ["mq-oracle"]
CMD ["listen", "--host", "0.0.0.0"]

FROM small AS mq-conform
ENTRYPOINT ["mq-conform"]
CMD ["--help"]

FROM small AS mq-audit
USER root
RUN pip install --no-cache-dir "$(ls /wheels/*.whl)[audit]"
USER mq
ENTRYPOINT ["mq-audit"]
CMD ["--help"]
