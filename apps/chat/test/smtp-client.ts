import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface, type Interface } from 'node:readline';

/** A minimal SMTP client that sends single commands, for tests of replies. */
export class SmtpClient {
  readonly #lines: AsyncIterator<string>;

  private constructor(
    private readonly socket: Socket,
    reader: Interface,
  ) {
    this.#lines = reader[Symbol.asyncIterator]();
  }

  /** Connects to the SMTP server and reads the server's greeting. */
  static async open(port: number): Promise<SmtpClient> {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    const client = new SmtpClient(socket, createInterface({ input: socket }));
    await once(socket, 'connect');
    return client;
  }

  /**
   * Reads the next reply of the SMTP server. The lines of the reply are joined by spaces. Returns an empty string if the
   * server has closed the connection.
   */
  async reply(): Promise<string> {
    const lines: string[] = [];
    for (;;) {
      const { value, done } = await this.#lines.next();
      if (done === true) return lines.join(' ');
      lines.push(value);
      if (value[3] !== '-') return lines.join(' ');
    }
  }

  async command(line: string): Promise<string> {
    this.socket.write(`${line}\r\n`);
    return this.reply();
  }

  /** Sends bytes to the SMTP server. Waits until the socket accepts more bytes or is closed. */
  async write(bytes: string | Buffer): Promise<void> {
    if (this.socket.write(bytes)) return;
    await Promise.race([once(this.socket, 'drain'), once(this.socket, 'close')]);
  }

  /** Sends a complete mail. Returns the last reply of the SMTP server. */
  async send(from: string, recipients: readonly string[], text: string): Promise<string> {
    for (const line of [
      'EHLO client.example.com',
      `MAIL FROM:<${from}>`,
      ...recipients.map((to) => `RCPT TO:<${to}>`),
    ]) {
      const reply = await this.command(line);
      if (!reply.startsWith('250')) return reply;
    }
    await this.command('DATA');
    const stuffed = text.replaceAll(/\r?\n/g, '\r\n').replaceAll(/^\./gm, '..');
    return this.command(`${stuffed}\r\n.`);
  }

  get isClosed(): boolean {
    return this.socket.destroyed;
  }

  close(): void {
    this.socket.destroy();
  }
}
