import { context, ROOT_CONTEXT, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { getActiveSpanContext, findCommonOrigin, findTracer, runInSpan } from './index.js';

const exporter = new InMemorySpanExporter();

beforeEach(() => {
  exporter.reset();
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});
afterEach(() => {
  trace.disable();
  context.disable();
});

function registerProvider() {
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  trace.setGlobalTracerProvider(provider);
  const tracer = findTracer('test');
  if (tracer === null) throw new Error('The provider was not found');
  return tracer;
}

describe('findTracer', () => {
  it('returns null without a tracer provider', () => {
    expect(findTracer('test')).toBeNull();
  });

  it('returns a tracer that creates spans if a tracer provider is registered', () => {
    registerProvider().startSpan('work').end();
    expect(exporter.getFinishedSpans()).toMatchObject([{ name: 'work', instrumentationScope: { name: 'test' } }]);
  });
});

describe('runInSpan', () => {
  it('runs the work within an active span, and returns the result of the work', async () => {
    const tracer = registerProvider();
    const active = await runInSpan(tracer, 'work', {}, ROOT_CONTEXT, async () => {
      await Promise.resolve();
      return getActiveSpanContext();
    });
    expect(exporter.getFinishedSpans().map((span) => span.spanContext())).toMatchObject([{ spanId: active?.spanId }]);
    expect(getActiveSpanContext()).toBeUndefined();
  });

  it('records the name of an error without its message, and throws the error again', async () => {
    const tracer = registerProvider();
    const failing = runInSpan(tracer, 'work', {}, ROOT_CONTEXT, () =>
      Promise.reject(new RangeError('password hunter2')),
    );
    await expect(failing).rejects.toThrow('hunter2');
    const [span] = exporter.getFinishedSpans();
    expect(span).toMatchObject({ attributes: { 'error.type': 'RangeError' }, status: { code: SpanStatusCode.ERROR } });
    expect(JSON.stringify([span?.attributes, span?.status, span?.events])).not.toContain('hunter2');
  });
});

describe('findCommonOrigin', () => {
  const header = (traceDigit: string, spanDigit: string): string =>
    `00-${traceDigit.repeat(32)}-${spanDigit.repeat(16)}-01`;

  it('returns the common trace of messages, with one link for each distinct span', () => {
    const { parent, isCommon, links } = findCommonOrigin(
      [header('a', '1'), undefined, header('a', '2'), header('a', '1')],
      ROOT_CONTEXT,
    );
    expect(isCommon).toBe(true);
    expect(trace.getSpanContext(parent)).toMatchObject({ traceId: 'a'.repeat(32), spanId: '1'.repeat(16) });
    expect(links.map((link) => link.context.spanId)).toEqual(['1'.repeat(16), '2'.repeat(16)]);
  });

  it('returns only links when the messages belong to several traces', () => {
    const { parent, isCommon, links } = findCommonOrigin([header('a', '1'), header('b', '2')], ROOT_CONTEXT);
    expect([parent, isCommon]).toEqual([ROOT_CONTEXT, false]);
    expect(links.map((link) => link.context.traceId)).toEqual(['a'.repeat(32), 'b'.repeat(32)]);
  });

  it('has no links for messages without a trace', () => {
    expect(findCommonOrigin([undefined, 'invalid'], ROOT_CONTEXT)).toEqual({
      parent: ROOT_CONTEXT,
      isCommon: false,
      links: [],
    });
  });

  it('limits the links to 128', () => {
    const headers = Array.from(
      { length: 200 },
      (_, index) => `00-${(index + 1).toString(16).padStart(32, '0')}-${'1'.repeat(16)}-01`,
    );
    expect(findCommonOrigin(headers, ROOT_CONTEXT).links).toHaveLength(128);
  });
});
