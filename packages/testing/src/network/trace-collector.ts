import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitFor } from '../wait-for.js';

/** A tracing span that the test collector has received. */
export interface CollectedTracingSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Id of the span's parent span; empty for a root span. */
  readonly parentSpanId: string;
  readonly kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly hasFailed: boolean;
  /** Name of the package that created the tracing span. */
  readonly scope: string;
  /** Attributes of the process that created the tracing span. */
  readonly resource: Readonly<Record<string, string | number | boolean>>;
}

/** An HTTP request that exports tracing spans. */
export interface TracingSpanExportRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

const spanKindByNumber = ['internal', 'internal', 'server', 'client', 'producer', 'consumer'] as const;

/** Status code of a failed tracing span in the OTLP protocol. */
const OTLP_ERROR_STATUS_CODE = 2;

interface OtlpAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, string | number | boolean>>;
}

interface OtlpSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly kind: number;
  readonly attributes?: readonly OtlpAttribute[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status?: { readonly code?: number };
}

interface OtlpSpanExport {
  readonly resourceSpans?: readonly {
    readonly resource?: { readonly attributes?: readonly OtlpAttribute[] };
    readonly scopeSpans?: readonly {
      readonly scope?: { readonly name: string };
      readonly spans?: readonly OtlpSpan[];
    }[];
  }[];
}

/**
 * A collector of tracing spans that accepts OTLP over HTTP (OTLP 1, `ExportTraceServiceRequest`). The collector parses
 * spans in JSON.
 */
export class TraceCollector {
  readonly requests: TracingSpanExportRequest[] = [];
  /** All tracing spans that the collector has received, in the order of their arrival. */
  readonly spans: CollectedTracingSpan[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<TraceCollector> {
    const server = createServer();
    const collector = new TraceCollector(server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => void chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks);
        collector.requests.push({ path: request.url ?? '', headers: request.headers, body });
        const isJson = request.headers['content-type'] === 'application/json';
        if (isJson) collector.spans.push(...listSpansOfExport(JSON.parse(body.toString('utf8')) as OtlpSpanExport));
        response.writeHead(200, { 'content-type': request.headers['content-type'] }).end(isJson ? '{}' : '');
      });
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    return collector;
  }

  /** URL of the collector, a value for the variable `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  get otlpEndpointUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Environment variables with which a service exports all its tracing spans to this collector. */
  get environment(): Record<string, string> {
    return {
      OTEL_EXPORTER_OTLP_ENDPOINT: this.otlpEndpointUrl,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '50',
    };
  }

  /**
   * Returns the first received tracing span that has the given name and satisfies the condition. Waits for the span.
   *
   * @throws Error with the names of all received spans, if no matching span arrives in time
   */
  async waitForSpan(
    name: string,
    condition: (span: CollectedTracingSpan) => boolean = () => true,
  ): Promise<CollectedTracingSpan> {
    const isWanted = (span: CollectedTracingSpan): boolean => span.name === name && condition(span);
    try {
      return await waitFor(() => this.spans.find(isWanted), { what: `the span ${name}` });
    } catch (error) {
      const names = new Set(this.spans.map((span) => span.name));
      throw new Error(`No span ${name} was received, but ${[...names].join(', ')}`, { cause: error });
    }
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => void this.server.close(() => resolve()));
  }
}

function listSpansOfExport({ resourceSpans = [] }: OtlpSpanExport): CollectedTracingSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans = [] }) =>
    scopeSpans.flatMap(({ scope, spans = [] }) =>
      spans.map((span): CollectedTracingSpan => ({
        name: span.name,
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? '',
        kind: spanKindByNumber[span.kind] ?? 'internal',
        attributes: readOtlpAttributeValues(span.attributes),
        links: (span.links ?? []).map(({ traceId, spanId }) => ({ traceId, spanId })),
        hasFailed: span.status?.code === OTLP_ERROR_STATUS_CODE,
        scope: scope?.name ?? '',
        resource: readOtlpAttributeValues(resource?.attributes),
      })),
    ),
  );
}

/**
 * Returns the attributes of a tracing span by name. In OTLP, each value is the only field of an object, and the name of
 * the field is the type of the value.
 */
function readOtlpAttributeValues(attributes: readonly OtlpAttribute[] = []): Record<string, string | number | boolean> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0] ?? '']));
}
