import { ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Clock } from '../clock.js';
import type { Logger } from '../logging/logger.js';

/** Logger for failed exports of tracing spans. */
export type ExportLogger = Pick<Logger, 'warn'>;

/** Minimum time between two log lines about failed exports of spans, in milliseconds. */
const EXPORT_FAILURE_LOG_INTERVAL_MS = 60_000;

/** Span exporter that wraps another exporter and logs its failures, at most once a minute. */
export class FailureLoggingSpanExporter implements SpanExporter {
  #lostSpans = 0;
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly exporter: SpanExporter,
    private readonly logger: ExportLogger,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  export(spans: ReadableSpan[], done: Parameters<SpanExporter['export']>[1]): void {
    this.exporter.export(spans, (result) => {
      if (result.code !== ExportResultCode.SUCCESS) this.#recordFailure(spans.length, result.error);
      done(result);
    });
  }

  shutdown(): Promise<void> {
    return this.exporter.shutdown();
  }

  async forceFlush(): Promise<void> {
    await this.exporter.forceFlush?.();
  }

  #recordFailure(count: number, reason: Error | undefined): void {
    this.#lostSpans += count;
    const now = this.clock.now();
    if (now - this.#loggedAt < EXPORT_FAILURE_LOG_INTERVAL_MS) return;
    // The response of the collector is not logged, because a proxy may repeat the headers in it.
    const error = reason === undefined ? 'unknown' : `${reason.name}: ${reason.message}`;
    this.logger.warn({ lostSpans: this.#lostSpans, error }, 'spans could not be exported');
    this.#lostSpans = 0;
    this.#loggedAt = now;
  }
}
