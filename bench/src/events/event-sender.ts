import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const SENDER_PROCESS_SCRIPT_PATH = join(import.meta.dirname, 'sender-process.js');

/**
 * Sends messages from a separate process. The benchmark's main process serves thousands of subscribers. It would read
 * the acknowledgement of a message late, after the subscribers' responses.
 */
export class SenderProcess {
  /** Promise that is rejected when the sending process exits. */
  private readonly ended: Promise<never>;

  private constructor(private readonly child: ChildProcess) {
    this.ended = once(child, 'exit').then(([code, signal]) => {
      throw new Error(`the sender's process has ended: ${code ?? signal}`);
    });
    // Callers of {@link send} receive the error. Without a caller, the exit is expected.
    this.ended.catch(() => {});
  }

  /**
   * Starts the sending process.
   *
   * @throws Error if the sending process exits before it is connected to `origin`
   */
  static async startProcess(origin: string): Promise<SenderProcess> {
    const sender = new SenderProcess(fork(SENDER_PROCESS_SCRIPT_PATH, [origin]));
    await sender.waitForResponse();
    return sender;
  }

  /**
   * Sends a message.
   * @returns time until the acknowledgement, in milliseconds
   * @throws Error if the process has exited, which it also does if the message is rejected
   */
  async sendMessage(message: object): Promise<number> {
    const acknowledged = this.waitForResponse();
    this.child.send(message);
    return Number(await acknowledged);
  }

  close(): void {
    this.child.kill();
  }

  private waitForResponse(): Promise<unknown> {
    return Promise.race([once(this.child, 'message').then(([response]) => response as unknown), this.ended]);
  }
}
