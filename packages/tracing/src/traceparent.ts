import { trace, TraceFlags, type Context, type SpanContext } from '@opentelemetry/api';

/**
 * Regular expression of a valid `traceparent` header (W3C Trace Context section 3.2.2, version 00). No id may consist
 * of zeros only.
 */
const TRACEPARENT_PATTERN = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Returns the tracing span that a `traceparent` header identifies, or null if the header is not well-formed. */
export function parseTraceparent(header: string): SpanContext | null {
  const [, traceId, spanId, flags] = TRACEPARENT_PATTERN.exec(header) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true };
}

/** Returns the `traceparent` header that identifies a tracing span. */
export function formatTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-0${traceFlags & TraceFlags.SAMPLED}`;
}

/**
 * Returns a tracing context in which the span of a `traceparent` header is active, so that new spans become children of
 * that span. Returns `base` if the header is missing or not well-formed.
 */
export function createContextFromTraceparent(base: Context, header: string | undefined): Context {
  const parent = header === undefined ? null : parseTraceparent(header);
  return parent === null ? base : trace.setSpanContext(base, parent);
}
