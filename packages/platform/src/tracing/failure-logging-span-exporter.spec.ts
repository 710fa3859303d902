import { ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import { expect, it } from 'vitest';
import { FailureLoggingSpanExporter } from './failure-logging-span-exporter.js';

/** Test exporter of spans that fails as long as `isDown` is true. */
class FailingExporter implements SpanExporter {
  isDown = true;

  export(_spans: ReadableSpan[], done: Parameters<SpanExporter['export']>[1]): void {
    if (this.isDown) done({ code: ExportResultCode.FAILED, error: new Error('connect ECONNREFUSED') });
    else done({ code: ExportResultCode.SUCCESS });
  }

  shutdown(): Promise<void> {
    return Promise.resolve();
  }
}

function exporterWithLog() {
  const lines: object[] = [];
  const failing = new FailingExporter();
  const clock = { ms: 0, now: () => clock.ms };
  const exporter = new FailureLoggingSpanExporter(
    failing,
    { warn: (fields: unknown) => void lines.push(Object(fields)) },
    clock,
  );
  const codes: number[] = [];
  const exportSpans = (count: number): void =>
    exporter.export(Array<ReadableSpan>(count), ({ code }) => void codes.push(code));
  return { failing, lines, clock, codes, exportSpans };
}

it('FailureLoggingSpanExporter logs failures once a minute, with the number of spans lost since the last line', () => {
  const { lines, clock, exportSpans } = exporterWithLog();
  exportSpans(2);
  clock.ms = 59_999;
  exportSpans(3);
  exportSpans(4);
  expect(lines).toEqual([{ lostSpans: 2, error: 'Error: connect ECONNREFUSED' }]);
  clock.ms = 60_000;
  exportSpans(5);
  expect(lines.slice(1)).toEqual([{ lostSpans: 12, error: 'Error: connect ECONNREFUSED' }]);
});

it('FailureLoggingSpanExporter passes on the results of the wrapped exporter, and logs no success', () => {
  const { failing, lines, codes, exportSpans } = exporterWithLog();
  failing.isDown = false;
  exportSpans(1);
  expect([codes, lines]).toEqual([[ExportResultCode.SUCCESS], []]);
  failing.isDown = true;
  exportSpans(1);
  expect(codes).toEqual([ExportResultCode.SUCCESS, ExportResultCode.FAILED]);
});
