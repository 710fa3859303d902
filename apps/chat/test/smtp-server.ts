import { once } from 'node:events';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** An email that the fake mail server accepted. */
export interface TakenMail {
  readonly to: string;
  readonly text: string;
  readonly user: unknown;
  readonly isEncrypted: boolean;
}

/** A fake SMTP server that can be stopped and restarted on its port. */
export class LocalMailServer {
  readonly taken: TakenMail[] = [];
  /**
   * Callback that receives each recipient address. If the callback throws an error, the server rejects the address with
   * the error's `responseCode`.
   */
  refuse: (address: string) => void = () => {};
  port = 0;
  #server: SMTPServer | null = null;

  constructor(private readonly options: SMTPServerOptions = {}) {}

  async start(): Promise<void> {
    this.#server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      disableReverseLookup: true,
      closeTimeout: 100,
      ...this.options,
      onRcptTo: ({ address }, _session, done) => {
        try {
          this.refuse(address);
          done();
        } catch (error) {
          done(error instanceof Error ? error : new Error(String(error)));
        }
      },
      onData: (stream, session, done) => {
        const parts: Buffer[] = [];
        stream.on('data', (part: Buffer) => parts.push(part));
        stream.on('end', () => {
          const to = session.envelope.rcptTo.map(({ address }) => address).join();
          const text = Buffer.concat(parts).toString();
          this.taken.push({ to, text, user: session.user, isEncrypted: session.secure });
          done();
        });
      },
    });
    // The tests ignore clients that disconnect without a command.
    this.#server.on('error', () => {});
    const listening = this.#server.listen(this.port, '127.0.0.1');
    await once(listening, 'listening');
    const address = listening.address();
    this.port = typeof address === 'object' && address !== null ? address.port : 0;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (server === null) return;
    this.#server = null;
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
}

/** Returns an error that makes the fake mail server send the given response. */
export function response(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}
