import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { getLoginAttemptCounterKey } from '@switchboard/auth';
import type { Logger } from '@switchboard/platform';
import type { SMTPServer, SMTPServerDataStream, SMTPServerOptions, SMTPServerSession } from 'smtp-server';
import type { IncomingMailConfig } from './incoming-mail-env.js';
import { SmtpRejectionReply, createTemporaryFailureReply } from './smtp-reply.js';

/** A received mail before parsing: envelope sender, recipients, and raw bytes. */
export interface ReceivedMail {
  /** Envelope sender address of the mail; empty for bounces and other automatic replies. */
  readonly from: string;
  readonly recipients: readonly string[];
  readonly raw: Uint8Array<ArrayBuffer>;
}

/** Handler of the SMTP server's mails: accepts or rejects recipients, and stores accepted mails. */
export interface IncomingMailHandler {
  /**
   * Checks the address of a recipient.
   *
   * @throws SmtpRejectionReply if the address is rejected
   */
  checkRecipient(address: string): Promise<void>;
  /**
   * Stores a mail. The SMTP server confirms the mail when the promise resolves.
   *
   * @throws SmtpRejectionReply if the mail is rejected
   */
  receive(mail: ReceivedMail): Promise<void>;
}

/** Maximum number of recipients of one incoming mail. */
const maxRecipients = 20;

/** Time without data after which the SMTP server closes a connection, in milliseconds. */
const smtpIdleTimeoutMs = 60_000;

/** Maximum duration of an SMTP connection, in milliseconds. */
const maxSmtpConnectionDurationMs = 900_000;

/** Maximum time for which the SMTP server waits for open connections when the server stops, in milliseconds. */
const mailServerStopTimeoutMs = 2_000;

/**
 * Number of bytes by which a mail may exceed the size limit before the SMTP server closes the connection. A smaller
 * excess is read and discarded.
 */
const maxBytesBeyondMailLimit = 1_048_576;

/** Number of rejected recipients after which the SMTP server closes a connection. */
const maxRejectedRecipientsPerConnection = 20;

/** State of an open SMTP connection. */
interface SmtpConnectionState {
  readonly address: string;
  readonly timer: NodeJS.Timeout;
  refusals: number;
}

/**
 * SMTP server for mail to channels (RFC 5321). The server uses the package `smtp-server`, which is loaded by
 * {@link start}. Limits the size and recipients of a mail, the number and duration of connections, and the memory for
 * all mails together.
 */
export class IncomingMailServer {
  readonly #connections = new Map<string, SmtpConnectionState>();
  readonly #running = new Set<Promise<unknown>>();
  #server: SMTPServer | null = null;
  #bufferedBytes = 0;

  constructor(
    private readonly config: IncomingMailConfig,
    private readonly logger: Pick<Logger, 'info' | 'warn'>,
  ) {}

  /** Port on which the SMTP server listens, or null if the server is not listening. */
  get port(): number | null {
    const address: AddressInfo | string | null | undefined = this.#server?.server.address();
    return typeof address === 'object' && address !== null ? address.port : null;
  }

  get totalCount(): number {
    return this.#connections.size;
  }

  /**
   * Starts the SMTP server, which then listens for connections.
   *
   * @throws Error if the port is in use, or a TLS file cannot be read
   */
  async start(handler: IncomingMailHandler): Promise<void> {
    const { INCOMING_MAIL_PORT: port, INCOMING_MAIL_HOST: host } = this.config;
    const { SMTPServer: Server } = await import('smtp-server');
    const server = new Server({ ...this.#limits(), ...(await this.#tls()), ...this.#handlers(handler) });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, () => {
        server.off('error', reject);
        resolve();
      });
    });
    // Faults of single connections, such as a failed TLS handshake.
    server.on('error', (error: Error) => this.logger.info({ reason: error.message }, 'a mail connection failed'));
    this.#server = server;
    this.logger.info({ host, port: this.port }, 'listening for mail to channels');
  }

  /** Stops accepting connections and SMTP commands, and waits for mails that are being processed. */
  async stop(): Promise<void> {
    const server = this.#server;
    if (server === null) return;
    await new Promise<void>((resolve) => server.close(() => resolve()));
    await Promise.all(this.#running);
    this.#server = null;
  }

  #limits(): SMTPServerOptions {
    const { config } = this;
    return {
      logger: false,
      banner: 'Switchboard',
      disableReverseLookup: true,
      size: config.INCOMING_MAIL_MAX_BYTES,
      rejectOversized: true,
      maxRecipients,
      maxClients: config.INCOMING_MAIL_CONNECTIONS,
      maxCommandLength: 4_096,
      socketTimeout: smtpIdleTimeoutMs,
      closeTimeout: mailServerStopTimeoutMs,
      useProxy: config.INCOMING_MAIL_PROXIES,
      // Other servers send mail here without an account.
      authOptional: true,
    };
  }

  async #tls(): Promise<SMTPServerOptions> {
    const { INCOMING_MAIL_TLS_KEY_FILE: keyFile, INCOMING_MAIL_TLS_CERTIFICATE_FILE: certFile } = this.config;
    if (keyFile === undefined && certFile === undefined) return { disabledCommands: ['AUTH', 'STARTTLS'] };
    if (keyFile === undefined || certFile === undefined) {
      throw new Error('INCOMING_MAIL_TLS_KEY_FILE and INCOMING_MAIL_TLS_CERTIFICATE_FILE must be set together');
    }
    const [key, cert] = await Promise.all([readFile(keyFile), readFile(certFile)]);
    return { key, cert, disabledCommands: ['AUTH'] };
  }

  #handlers(handler: IncomingMailHandler): SMTPServerOptions {
    return {
      onConnect: (session, done) => done(this.#admitConnection(session)),
      onClose: (session) => this.#releaseConnection(session),
      onRcptTo: ({ address }, session, done) => {
        void this.#replyToRecipient(handler, address, session, done);
      },
      onData: (stream, session, done) => {
        const work = this.#replyToMail(handler, stream, session, done);
        this.#running.add(work);
        void work.finally(() => this.#running.delete(work));
      },
    };
  }

  /**
   * Registers a new SMTP connection. Returns an error reply if too many connections from the client's address are open,
   * otherwise null.
   */
  #admitConnection(session: SMTPServerSession): SmtpRejectionReply | null {
    const address = getLoginAttemptCounterKey(session.remoteAddress);
    const others = [...this.#connections.values()].filter((other) => other.address === address).length;
    if (others >= this.config.INCOMING_MAIL_CONNECTIONS_PER_ADDRESS) {
      return new SmtpRejectionReply(421, 'Too many connections from your address');
    }
    const timer = setTimeout(() => this.#close(session, 'The connection took too long'), maxSmtpConnectionDurationMs);
    timer.unref();
    this.#connections.set(session.id, { address, timer, refusals: 0 });
    return null;
  }

  #releaseConnection({ id }: SMTPServerSession): void {
    clearTimeout(this.#connections.get(id)?.timer);
    this.#connections.delete(id);
  }

  #close({ id }: SMTPServerSession, reason: string, code = 421): void {
    for (const connection of this.#server?.connections ?? []) {
      if (connection.id !== id) continue;
      connection.send(code, reason);
      connection.close();
    }
  }

  async #replyToRecipient(
    handler: IncomingMailHandler,
    address: string,
    session: SMTPServerSession,
    done: (refusal: SmtpRejectionReply | null) => void,
  ): Promise<void> {
    done(await this.#checkRecipient(handler, address, session));
  }

  async #replyToMail(
    handler: IncomingMailHandler,
    stream: SMTPServerDataStream,
    session: SMTPServerSession,
    done: (refusal: SmtpRejectionReply | null, text?: string) => void,
  ): Promise<void> {
    const refusal = await this.#receive(handler, stream, session);
    done(refusal, refusal === null ? 'The mail was delivered' : undefined);
  }

  async #checkRecipient(
    handler: IncomingMailHandler,
    address: string,
    session: SMTPServerSession,
  ): Promise<SmtpRejectionReply | null> {
    try {
      await handler.checkRecipient(address);
      return null;
    } catch (error) {
      if (!(error instanceof SmtpRejectionReply)) return this.#replyToUnexpectedError(error);
      const connection = this.#connections.get(session.id);
      if (connection === undefined) return error;
      connection.refusals += 1;
      return connection.refusals > maxRejectedRecipientsPerConnection
        ? new SmtpRejectionReply(421, 'Too many refused recipients')
        : error;
    }
  }

  /**
   * Reads a mail and passes the mail to the handler. Returns the error reply if the mail is rejected, otherwise null.
   */
  async #receive(
    handler: IncomingMailHandler,
    stream: SMTPServerDataStream,
    session: SMTPServerSession,
  ): Promise<SmtpRejectionReply | null> {
    const { mailFrom, rcptTo } = session.envelope;
    const from = mailFrom === false ? '' : mailFrom.address;
    const recipients = rcptTo.map(({ address }) => address);
    let reserved = 0;
    try {
      const raw = await this.#read(stream, session, (bytes) => {
        reserved += bytes;
        this.#bufferedBytes += bytes;
      });
      await handler.receive({ from, recipients, raw });
      return null;
    } catch (error) {
      return error instanceof SmtpRejectionReply ? error : this.#replyToUnexpectedError(error);
    } finally {
      this.#bufferedBytes -= reserved;
    }
  }

  /**
   * Reads a mail into memory. A mail that exceeds the limit of size or memory is read to its end and discarded, because
   * clients expect the reply only then.
   *
   * @param reserve adds a number of bytes, which may be negative, to the memory of the mail
   * @throws SmtpRejectionReply, also if the client disconnects
   */
  async #read(
    stream: SMTPServerDataStream,
    session: SMTPServerSession,
    reserve: (bytes: number) => void,
  ): Promise<Uint8Array<ArrayBuffer>> {
    const limit = this.config.INCOMING_MAIL_MAX_BYTES;
    const chunks: Buffer[] = [];
    let size = 0;
    let isFull = false;
    try {
      for await (const part of stream) {
        const chunk: Buffer = part;
        size += chunk.length;
        if (size > limit + maxBytesBeyondMailLimit) this.#close(session, `The mail has more than ${limit} bytes`, 552);
        isFull ||= size <= limit && this.#bufferedBytes + chunk.length > 2 * limit;
        if (isFull || size > limit) {
          for (const kept of chunks.splice(0)) reserve(-kept.length);
        } else {
          reserve(chunk.length);
          chunks.push(chunk);
        }
      }
    } catch (error) {
      throw new SmtpRejectionReply(451, 'The mail is incomplete', { cause: error });
    }
    if (size > limit) throw new SmtpRejectionReply(552, `The mail has more than ${limit} bytes`);
    if (isFull) throw new SmtpRejectionReply(452, 'Too many mails at the same time, try again later');
    return copyChunksToTransferableBuffer(chunks, size);
  }

  #replyToUnexpectedError(error: unknown): SmtpRejectionReply {
    this.logger.warn({ err: error }, 'an incoming mail was not processed');
    return createTemporaryFailureReply(error);
  }
}

/** Copies chunks into one buffer with separate memory, so that the buffer can be transferred to another thread. */
function copyChunksToTransferableBuffer(chunks: readonly Buffer[], size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.length;
  }
  return bytes;
}
