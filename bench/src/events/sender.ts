import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const SCRIPT = join(import.meta.dirname, 'sender-process.js');

/**
 * One who sends, in a process of its own. In that of thousands of subscribers the acknowledgement would be read when the
 * system lets that process run, which has their answers to read and was measured to come milliseconds late.
 */
export class Sender {
  private constructor(private readonly child: ChildProcess) {}

  static async open(origin: string): Promise<Sender> {
    const child = fork(SCRIPT, [origin]);
    await once(child, 'message');
    return new Sender(child);
  }

  /** @returns milliseconds until the message was acknowledged */
  async send(message: object): Promise<number> {
    const acknowledged = once(this.child, 'message') as Promise<[number]>;
    this.child.send(message);
    return (await acknowledged)[0];
  }

  close(): void {
    this.child.kill();
  }
}
