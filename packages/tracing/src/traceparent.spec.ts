import { ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import { createContextFromTraceparent, formatTraceparent, parseTraceparent } from './index.js';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';

describe('parseTraceparent', () => {
  it.each([
    ['01', 1],
    ['00', 0],
    // Unknown flags are ignored (Trace Context, section 3.2.2.5).
    ['ff', 1],
  ])('returns ids and the sampling decision of the flags %s', (flags, traceFlags) => {
    expect(parseTraceparent(`00-${traceId}-${spanId}-${flags}`)).toEqual({
      traceId,
      spanId,
      traceFlags,
      isRemote: true,
    });
  });

  it.each([
    '',
    `00-${traceId}-${spanId}`,
    `01-${traceId}-${spanId}-01`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${traceId}-${spanId}-01,00-${traceId}-${spanId}-01`,
  ])('returns null for %j', (header) => {
    expect(parseTraceparent(header)).toBeNull();
  });
});

describe('formatTraceparent', () => {
  it.each(['00', '01'])('returns the header that was parsed, with flags %s', (flags) => {
    const header = `00-${traceId}-${spanId}-${flags}`;
    const parsed = parseTraceparent(header);
    expect(parsed && formatTraceparent(parsed)).toBe(header);
  });
});

describe('createContextFromTraceparent', () => {
  it('makes the span of the header active', () => {
    const context = createContextFromTraceparent(ROOT_CONTEXT, `00-${traceId}-${spanId}-01`);
    expect(trace.getSpanContext(context)).toMatchObject({ traceId, spanId });
  });

  it.each([undefined, 'invalid'])('returns the given context for the header %s', (header) => {
    expect(createContextFromTraceparent(ROOT_CONTEXT, header)).toBe(ROOT_CONTEXT);
  });
});
