import { randomUUID } from 'node:crypto';
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  type Sampler,
} from '@opentelemetry/sdk-trace-base';
import type { Clock } from '../clock.js';
import type { PlatformConfig } from '../configuration/platform-environment.js';
import { FailureLoggingSpanExporter, type ExportLogger } from './failure-logging-span-exporter.js';

export interface OtlpProviderOptions {
  /** Name of the service in spans. The environment variable `OTEL_SERVICE_NAME` takes precedence. */
  readonly name: string;
  /** URL of the OTLP collector without `/v1/traces`. */
  readonly endpoint: string;
  readonly config: PlatformConfig;
  readonly logger: ExportLogger;
  readonly clock: Clock;
  /**
   * Time between the end of a span and its export, in milliseconds. If undefined, the default of the OpenTelemetry SDK
   * is used.
   */
  readonly exportDelayMs: number | undefined;
}

/**
 * Registers a tracer provider that exports spans by OTLP over HTTP, a propagator for W3C Trace Context, and a context
 * manager for the active span. `stop` of the returned object exports the remaining spans and removes all these
 * registrations.
 */
export function registerOtlpProvider(options: OtlpProviderOptions): { readonly stop: () => Promise<void> } {
  const { name, config, logger, clock, exportDelayMs } = options;
  const exporter = new FailureLoggingSpanExporter(createSpanExporter(options), logger, clock);
  const timing = exportDelayMs === undefined ? {} : { scheduledDelayMillis: exportDelayMs };
  const provider = new BasicTracerProvider({
    resource: defaultResource().merge(
      resourceFromAttributes({
        ...config.OTEL_RESOURCE_ATTRIBUTES,
        'service.name': config.OTEL_SERVICE_NAME ?? config.OTEL_RESOURCE_ATTRIBUTES['service.name'] ?? name,
        'service.instance.id': randomUUID(),
      }),
    ),
    sampler: createTraceSampler(config),
    spanProcessors: [new BatchSpanProcessor(exporter, timing)],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  return {
    stop: async () => {
      trace.disable();
      propagation.disable();
      context.disable();
      await provider.shutdown();
    },
  };
}

function createSpanExporter({ endpoint, config }: OtlpProviderOptions): JsonExporter | ProtobufExporter {
  const settings = { url: `${endpoint.replace(/\/+$/, '')}/v1/traces`, headers: config.OTEL_EXPORTER_OTLP_HEADERS };
  return config.OTEL_EXPORTER_OTLP_PROTOCOL === 'http/json'
    ? new JsonExporter(settings)
    : new ProtobufExporter(settings);
}

function createTraceSampler({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: share }: PlatformConfig): Sampler {
  const root = name.endsWith('always_on')
    ? new AlwaysOnSampler()
    : name.endsWith('always_off')
      ? new AlwaysOffSampler()
      : new TraceIdRatioBasedSampler(share);
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}
