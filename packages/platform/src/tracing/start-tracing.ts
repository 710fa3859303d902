import { findTracer } from '@switchboard/tracing';
import { systemClock, type Clock } from '../clock.js';
import type { PlatformConfig } from '../configuration/platform-environment.js';
import type { Shutdown } from '../lifecycle/shutdown.js';
import type { Logger } from '../logging/logger.js';

/** Options of {@link startTracing}. The address of the collector comes from `config`. */
export interface TracingOptions {
  /** Name of the service in spans. The environment variable `OTEL_SERVICE_NAME` takes precedence. */
  readonly name: string;
  readonly config: PlatformConfig;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly shutdown: Pick<Shutdown, 'addStep'>;
  readonly clock?: Clock;
  /** Time between the end of a span and its export, in milliseconds. Default 5,000. */
  readonly exportDelayMs?: number;
}

/** Maximum time for exporting the last spans during a shutdown, in milliseconds. */
const SPAN_FLUSH_LIMIT_MS = 2_000;

/**
 * Starts to export the tracing spans of this process by OTLP if `OTEL_EXPORTER_OTLP_ENDPOINT` is set. Otherwise has no
 * effect. Must be called before the objects of the service are created, because each object searches for a tracer
 * provider only once. If another tracer provider is already registered, for example by `node --import`, that provider
 * gets the spans.
 *
 * The last spans are exported at the end of the shutdown, within two seconds. An unavailable collector causes one log
 * line a minute, and spans that exceed the buffer meanwhile are dropped.
 */
export async function startTracing(options: TracingOptions): Promise<void> {
  const { name, config, logger, shutdown, clock = systemClock, exportDelayMs } = options;
  const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return;
  if (findTracer('@switchboard/platform') !== null) {
    logger.info('spans go to the tracer provider that is registered already');
    return;
  }
  // Loaded only here, because the libraries of the export would slow down every start.
  const { registerOtlpProvider } = await import('./otlp-provider.js');
  const provider = registerOtlpProvider({ name, endpoint, config, logger, clock, exportDelayMs });
  shutdown.addStep('end', 'spans', (hurry) => flushSpansWithinLimit(() => provider.stop(), hurry, { logger, clock }));
}

/**
 * Exports the last spans with `flush`. Resolves when `flush` has ended or failed, after {@link SPAN_FLUSH_LIMIT_MS}, or
 * when `hurry` is aborted.
 */
async function flushSpansWithinLimit(
  flush: () => Promise<void>,
  hurry: AbortSignal,
  { logger, clock }: { readonly logger: TracingOptions['logger']; readonly clock: Clock },
): Promise<void> {
  let giveUp = (): void => {};
  const late = new Promise<'late'>((resolve) => (giveUp = () => resolve('late')));
  const timer = clock.setTimeout(giveUp, SPAN_FLUSH_LIMIT_MS);
  hurry.addEventListener('abort', giveUp, { once: true });
  if (hurry.aborted) giveUp();
  const outcome = await Promise.race([flush().catch(() => 'failed' as const), late]);
  clock.clearTimeout(timer);
  if (outcome === 'late') logger.warn('the last spans could not be exported in time');
}
