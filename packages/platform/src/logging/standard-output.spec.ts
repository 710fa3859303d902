import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createLogger } from './logger.js';
import { getStandardOutput, NonBlockingOutput } from './standard-output.js';

/** Test stream that accepts one line each time the test requests a line. */
class SlowReader extends Writable {
  readonly taken: string[] = [];
  #take: (() => void) | undefined;

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.taken.push(chunk.toString());
    this.#take = done;
  }

  async takeAll(): Promise<void> {
    while (this.writableLength > 0) {
      this.#take?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

describe('log output to a pipe', () => {
  it('drops lines when the reader is slow and logs their number', async () => {
    const reader = new SlowReader();
    const output = new NonBlockingOutput(reader, 10);
    for (const line of ['first line\n', 'second\n', 'third\n', 'fourth\n']) output.write(line);
    await reader.takeAll();
    output.write('fifth\n');
    await reader.takeAll();
    expect(reader.taken.map((line) => (line.startsWith('{') ? JSON.parse(line).dropped : line))).toEqual([
      'first line\n',
      3,
      'fifth\n',
    ]);
  });

  it('does not throw when the reader has closed the pipe', async () => {
    const reader = new SlowReader();
    const output = new NonBlockingOutput(reader);
    reader.destroy(new Error('EPIPE'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(() => output.write('nobody reads this\n')).not.toThrow();
  });
});

describe('getStandardOutput', () => {
  it('returns the same output for all loggers, so that loggers add no listeners to the stream', () => {
    const output = getStandardOutput();
    const before = process.stdout.listenerCount('error');
    for (let count = 0; count < 20; count += 1) createLogger({ level: 'silent', name: `logger ${count}` });
    expect(getStandardOutput()).toBe(output);
    expect(process.stdout.listenerCount('error')).toBe(before);
  });
});
