import { describe, expect, it } from 'vitest';
import { StatementOrder } from './statement-order.js';

/** Operations that end when the test ends them, with a record of their beginnings and ends. */
class RecordedOperations {
  readonly steps: string[] = [];
  private readonly endByName = new Map<string, (error?: Error) => void>();

  create(name: string): () => Promise<string> {
    return () =>
      new Promise((resolve, reject) => {
        this.steps.push(`begin ${name}`);
        this.endByName.set(name, (error) => {
          this.steps.push(`end ${name}`);
          if (error === undefined) resolve(name);
          else reject(error);
        });
      });
  }

  end(name: string, error?: Error): void {
    this.endByName.get(name)?.(error);
  }
}

describe('StatementOrder.runInOrder', () => {
  it('begins an operation when the earlier operations of the realm have ended', async () => {
    const [order, operations] = [new StatementOrder(), new RecordedOperations()];
    const first = order.runInOrder('realm', operations.create('first'));
    const second = order.runInOrder('realm', operations.create('second'));
    const third = order.runInOrder('realm', operations.create('third'));
    operations.end('first');
    expect(await first).toBe('first');
    operations.end('second');
    expect(await second).toBe('second');
    operations.end('third');
    expect(await third).toBe('third');
    const names = ['first', 'second', 'third'];
    expect(operations.steps).toEqual(names.flatMap((name) => [`begin ${name}`, `end ${name}`]));
  });

  it('begins an operation when the earlier operation has failed', async () => {
    const [order, operations] = [new StatementOrder(), new RecordedOperations()];
    const first = order.runInOrder('realm', operations.create('first'));
    const second = order.runInOrder('realm', operations.create('second'));
    operations.end('first', new Error('no'));
    await expect(first).rejects.toThrow('no');
    operations.end('second');
    expect(await second).toBe('second');
  });

  it('begins an operation immediately when another realm has a running operation', async () => {
    const [order, operations] = [new StatementOrder(), new RecordedOperations()];
    const running = order.runInOrder('realm', operations.create('first'));
    const other = order.runInOrder('other realm', operations.create('second'));
    expect(operations.steps).toEqual(['begin first', 'begin second']);
    operations.end('second');
    expect(await other).toBe('second');
    operations.end('first');
    expect(await running).toBe('first');
  });
});
