import {
  parseEnvironmentValues,
  platformEnvironmentSchema,
  startTracing,
  type ShutdownFunction,
  type TracingOptions,
} from '@switchboard/platform';
import { TraceCollector } from './trace-collector.js';

/** Tracing spans of this process that were exported to a test collector. */
export interface ProcessSpanCollection {
  readonly collector: TraceCollector;
  /** Exports the remaining tracing spans, removes the tracer provider and closes the collector. */
  stop(): Promise<void>;
}

/** Time between the end of a tracing span and its export, in milliseconds. */
const SPAN_EXPORT_DELAY_MS = 20;

/**
 * Exports the tracing spans of this process to a new collector. Must be called before the creation of objects that
 * create spans.
 *
 * @param environment environment variables for the export, in addition to the variables with the collector's address
 */
export async function collectTracingSpans(
  environment: Record<string, string> = {},
  options: Partial<TracingOptions> = {},
): Promise<ProcessSpanCollection> {
  const collector = await TraceCollector.start();
  const steps: ShutdownFunction[] = [];
  await startTracing({
    name: 'test',
    config: parseEnvironmentValues(platformEnvironmentSchema, { ...collector.environment, ...environment }),
    logger: { info: () => {}, warn: () => {} },
    shutdown: { addStep: (_phase, _name, close) => void steps.push(close) },
    exportDelayMs: SPAN_EXPORT_DELAY_MS,
    ...options,
  });
  return {
    collector,
    stop: async () => {
      for (const step of steps) await step(new AbortController().signal);
      await collector.close();
    },
  };
}
