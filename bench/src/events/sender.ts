import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const SCRIPT = join(import.meta.dirname, 'sender-process.js');

/**
 * A sender in a process of its own. In the process of thousands of subscribers the acknowledgement would be read
 * milliseconds late, behind their responses.
 */
export class Sender {
  /** Rejects when the process ends. */
  private readonly ended: Promise<never>;

  private constructor(private readonly child: ChildProcess) {
    this.ended = once(child, 'exit').then(([code, signal]) => {
      throw new Error(`the sender's process has ended: ${code ?? signal}`);
    });
    // Whoever waits for an answer is told; at the end nobody does.
    this.ended.catch(() => {});
  }

  /** @throws Error when the process ends before it is connected to `origin` */
  static async open(origin: string): Promise<Sender> {
    const sender = new Sender(fork(SCRIPT, [origin]));
    await sender.answer();
    return sender;
  }

  /**
   * @returns milliseconds until the message was acknowledged
   * @throws Error when the process has ended, as it does when the message is refused
   */
  async send(message: object): Promise<number> {
    const acknowledged = this.answer();
    this.child.send(message);
    return Number(await acknowledged);
  }

  close(): void {
    this.child.kill();
  }

  private answer(): Promise<unknown> {
    return Promise.race([once(this.child, 'message').then(([answer]) => answer as unknown), this.ended]);
  }
}
