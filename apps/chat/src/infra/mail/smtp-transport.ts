import { createTransport, type SMTPPoolOptions, type Transporter } from 'nodemailer';
import {
  type OutgoingMail,
  MailRefusedError,
  type MailTransport,
  createMailMessageIdHeader,
} from './mail-transport.js';

export interface SmtpTransportOptions {
  /**
   * URL of the mail server, `smtp://` or `smtps://`, with user and password if the mail server requires authentication.
   */
  readonly url: string;
  readonly from: string;
  /** CA certificates that the SMTP client trusts instead of the CA certificates of the system. */
  readonly ca?: string;
}

/** Maximum number of connections of one process to the mail server. */
const maxSmtpConnections = 5;

/**
 * Timeouts for the mail server in milliseconds: for DNS lookups, for connecting, for the server's greeting, and for
 * inactivity.
 */
const smtpClientTimeouts = {
  dnsTimeout: 10_000,
  connectionTimeout: 10_000,
  greetingTimeout: 15_000,
  socketTimeout: 30_000,
};

/**
 * Error codes of the mail library for errors in the email itself. A rejected password is not included, because emails
 * wait until the operator corrects the password.
 */
const mailContentErrorCodes: ReadonlySet<unknown> = new Set(['EENVELOPE', 'EMESSAGE']);

/** Sends emails to an SMTP server over connections that are reused. */
export class SmtpTransport implements MailTransport {
  readonly #transporter: Transporter;
  readonly #from: string;

  constructor(settings: SmtpTransportOptions) {
    this.#from = settings.from;
    this.#transporter = createTransport(createSmtpPoolOptions(settings));
  }

  async send(mail: OutgoingMail, signal?: AbortSignal): Promise<void> {
    try {
      await this.#transporter.sendMail({
        from: this.#from,
        // An object, because a string would be parsed and could contain several addresses.
        to: { name: '', address: mail.to },
        subject: mail.subject,
        text: mail.text,
        messageId: createMailMessageIdHeader(mail, this.#from),
        headers: { 'Auto-Submitted': 'auto-generated' },
        disableFileAccess: true,
        disableUrlAccess: true,
        ...(signal && { signal }),
      });
    } catch (error) {
      throw isPermanentSmtpError(error) ? new MailRefusedError(error.message, { cause: error }) : error;
    }
  }

  /**
   * Connects to the mail server, waits for its greeting, and signs in if the URL has a user. Sends no email.
   *
   * @throws Error of the mail library when the server is unreachable or refuses the connection or the password
   */
  async checkConnection(): Promise<void> {
    await this.#transporter.verify();
  }

  close(): void {
    this.#transporter.close();
  }
}

function createSmtpPoolOptions({ url, ca }: SmtpTransportOptions): SMTPPoolOptions & { pool: true } {
  const { protocol, hostname, port, username, password } = new URL(url);
  const secure = protocol === 'smtps:';
  const auth = username === '' ? null : { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  return {
    pool: true,
    maxConnections: maxSmtpConnections,
    ...smtpClientTimeouts,
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    // A password is sent only over TLS, except to the same machine.
    requireTLS: !secure && auth !== null && !isLoopbackHost(hostname),
    ...(auth && { auth }),
    ...(ca !== undefined && { tls: { ca } }),
  };
}

function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

/**
 * Returns true for permanent errors of the mail server. Responses with 4xx codes and connection errors are temporary.
 */
function isPermanentSmtpError(error: unknown): error is Error {
  if (!(error instanceof Error) || !('code' in error) || !mailContentErrorCodes.has(error.code)) return false;
  return !('permanent' in error) || error.permanent !== false;
}
