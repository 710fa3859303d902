import { context, SpanKind, trace, type Tracer } from '@opentelemetry/api';
import { createContextFromTraceparent, findTracer, formatTraceparent } from '@switchboard/tracing';
import type { TraceContext } from '../environment.js';
import type { TransactionHandle } from '../transaction-handle.js';

/**
 * Creates tracing spans for added outbox rows. A transaction has one span for each message type, so that many rows do
 * not create many spans.
 */
export class AddedRowSpanCreator {
  /** Texts of the column `context` that were created before, by transaction and message type. */
  private readonly texts = new WeakMap<TransactionHandle, Map<string, string>>();

  constructor(
    private readonly tracer: Tracer,
    /** Function that returns the trace fields of the current request. */
    private readonly currentTrace: () => TraceContext,
  ) {}

  /**
   * Returns the text of the column `context` of an outbox row. Its `traceparent` identifies the span of the added rows,
   * so that later spans can refer to it. The span is a child of the active span; without an active span it is a child
   * of the request's `traceparent`.
   */
  createContextText(tx: TransactionHandle, topic: string): string {
    const texts = this.texts.get(tx) ?? new Map<string, string>();
    this.texts.set(tx, texts);
    const known = texts.get(topic);
    if (known !== undefined) return known;
    const request = this.currentTrace();
    const text = JSON.stringify({ ...request, traceparent: this.addRowToSpan(topic, request.traceparent) });
    texts.set(topic, text);
    return text;
  }

  private addRowToSpan(topic: string, traceparent: string | undefined): string {
    const active = context.active();
    const parent = trace.getSpan(active) === undefined ? createContextFromTraceparent(active, traceparent) : active;
    const attributes = createOutboxSpanAttributes(topic, 'add', 'create');
    const span = this.tracer.startSpan(`add ${topic}`, { kind: SpanKind.PRODUCER, attributes }, parent);
    span.end();
    return formatTraceparent(span.spanContext());
  }
}

/** Returns the creator of tracing spans for added outbox rows. Returns null if the process has no tracer provider. */
export function createAddedRowSpanCreator(currentTrace: () => TraceContext): AddedRowSpanCreator | null {
  const tracer = findTracer('@switchboard/queue');
  return tracer && new AddedRowSpanCreator(tracer, currentTrace);
}

/** Returns the attributes of a tracing span about outbox rows of a message type. */
export function createOutboxSpanAttributes(
  topic: string,
  name: string,
  type: 'create' | 'process',
): Record<string, string> {
  return {
    'messaging.system': 'switchboard.outbox',
    'messaging.destination.name': topic,
    'messaging.operation.name': name,
    'messaging.operation.type': type,
  };
}
