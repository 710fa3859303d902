import type { SMTPServerOptions } from 'smtp-server';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createLogger } from '@switchboard/platform';
import { TestCertificateAuthority } from '@switchboard/testing';
import { readChatServiceConfig } from '../../app/environment.js';
import { OutgoingMailWriter, warnIfMailIsUnsent } from './index.js';
import { SmtpTransport } from './smtp-transport.js';
import { type ChatCluster, chatCluster, type ChatProcess } from '../../../test/chat-server.js';
import { response, LocalMailServer } from '../../../test/smtp-server.js';

const password = 'a secret p@ss';
const login = `chat:${encodeURIComponent(password)}`;
const withLogin: SMTPServerOptions = {
  authOptional: false,
  allowInsecureAuth: true,
  onAuth: (auth, _session, done) => {
    if (auth.username === 'chat' && auth.password === password) done(null, { user: 'chat' });
    else done(response(535, 'who are you'));
  },
};

let cluster: ChatCluster;
let chat: ChatProcess;
const server = new LocalMailServer(withLogin);

beforeAll(async () => {
  cluster = await chatCluster();
  await server.start();
  const url = `smtp://${login}@127.0.0.1:${server.port}`;
  chat = await cluster.start({ SMTP_URL: url, MAIL_FROM: 'Chat <chat@example.org>' });
});
afterAll(async () => {
  await cluster.stop();
  await server.stop();
});
afterEach(() => {
  server.refuse = () => {};
});

async function send(to: string): Promise<void> {
  const { database, outbox, secrets } = chat.runtime;
  await database.inTransaction(async (tx) =>
    new OutgoingMailWriter(outbox, secrets).enqueueMail(tx, { to, subject: 'Grüße', text: 'one\n.two' }),
  );
}
const mailsTo = (to: string) => server.taken.filter((mail) => mail.to === to);
const arrival = (to: string) => expect.poll(() => mailsTo(to)).toHaveLength(1);
const waiting = async (to: string) => {
  const sql = 'SELECT id, failed_at FROM outgoing_mails WHERE recipient = $1';
  return (await chat.runtime.database.query<{ id: number; failed_at: Date | null }>(sql, [to])).rows;
};

describe('SmtpTransport.send', () => {
  it('sends an email with the credentials of SMTP_URL, and then deletes the database row of the email', async () => {
    await send('one@example.com');
    await arrival('one@example.com');
    const [mail] = mailsTo('one@example.com');
    expect(mail).toMatchObject({ user: 'chat' });
    expect(mail?.text).toMatch(/^From: Chat <chat@example\.org>\r$/m);
    expect(mail?.text).toMatch(/^Message-ID: <mail-\d+@example\.org>\r$/im);
    expect(mail?.text).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    await expect.poll(() => waiting('one@example.com')).toEqual([]);
  });

  it('uses the same Message-ID when a temporary failure is retried', async () => {
    let refused = 0;
    server.refuse = () => {
      refused += 1;
      if (refused === 1) throw response(451, 'greylisted');
    };
    await send('later@example.com');
    await expect.poll(() => refused).toBe(1);
    const [row] = await waiting('later@example.com');
    await arrival('later@example.com');
    expect(mailsTo('later@example.com')[0]?.text).toContain(`<mail-${row?.id ?? 0}@example.org>`);
  });

  it('does not retry an email after a permanent error', async () => {
    let refused = 0;
    server.refuse = () => {
      refused += 1;
      throw response(550, 'no such user');
    };
    await send('nobody@example.com');
    const givenUp = async () => (await waiting('nobody@example.com')).filter(({ failed_at: at }) => at !== null);
    await expect.poll(givenUp).toHaveLength(1);
    await expect.poll(() => cluster.log.join('')).toContain('job failed permanently');
    expect(refused).toBe(1);
  });

  it('retains emails while the SMTP server is unavailable, and sends the emails when the server is back', async () => {
    await server.stop();
    await send('away@example.com');
    await expect.poll(() => cluster.log.join('')).toMatch(/ECONNREFUSED|closed/);
    await server.start();
    await arrival('away@example.com');
  });

  it('logs no password', () => {
    const log = cluster.log.join('');
    expect(log).toContain('no such user');
    for (const secret of [
      password,
      encodeURIComponent(password),
      Buffer.from(`\0chat\0${password}`).toString('base64'),
    ]) {
      expect(log).not.toContain(secret);
    }
  });
});

describe('SmtpTransport', () => {
  const mail = { id: 'mail-1', to: 'one@example.com', subject: 's', text: 't' };
  const from = 'chat@example.org';
  let authority: TestCertificateAuthority;

  beforeAll(async () => {
    authority = await TestCertificateAuthority.create();
  });

  async function withServer<T>(run: (local: LocalMailServer, url: string) => Promise<T>): Promise<T> {
    const certificate = await authority.issueCertificate(['127.0.0.1']);
    const local = new LocalMailServer({ ...withLogin, ...certificate, disabledCommands: [] });
    await local.start();
    try {
      return await run(local, `smtp://${login}@127.0.0.1:${local.port}`);
    } finally {
      await local.stop();
    }
  }

  it('uses STARTTLS when the server supports it', () =>
    withServer(async (local, url) => {
      const transport = new SmtpTransport({ url, from, ca: authority.cert });
      await transport.send(mail);
      transport.close();
      expect(local.taken).toMatchObject([{ to: mail.to, user: 'chat', isEncrypted: true }]);
    }));

  it('rejects a server with another certificate name', () =>
    withServer(async (local, url) => {
      const transport = new SmtpTransport({ url, from });
      await expect(transport.send(mail)).rejects.toThrow('unable to verify');
      transport.close();
      expect(local.taken).toEqual([]);
    }));

  it('retries after a rejected password, so that the operator can correct the password', () =>
    withServer(async (local) => {
      const url = `smtp://chat:wrong@127.0.0.1:${local.port}`;
      const transport = new SmtpTransport({ url, from, ca: authority.cert });
      await expect(transport.send(mail)).rejects.toMatchObject({ name: 'Error', code: 'EAUTH' });
      transport.close();
    }));
});

describe('SMTP_URL', () => {
  it.each(['http://localhost', 'localhost:25', 'smtp://', 'smtp://host/?debug=true'])(
    'cannot have the value %s',
    (url) => {
      expect(() =>
        readChatServiceConfig({ NODE_ENV: 'test', DATABASE_URL: 'postgres://localhost/chat', SMTP_URL: url }),
      ).toThrow(/^[^?]*SMTP_URL: must read[^?]*$/);
    },
  );

  it('causes a warning in the log when the variable is missing in production, but not in development', () => {
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    const logger = createLogger({ level: 'debug', name: 'chat', destination });
    const mailConfig = { MAIL_FOLDER: 'mails', MAIL_FROM: 'chat@example.org' };
    warnIfMailIsUnsent({ ...mailConfig, NODE_ENV: 'development' }, logger);
    warnIfMailIsUnsent({ ...mailConfig, NODE_ENV: 'production', SMTP_URL: 'smtp://localhost' }, logger);
    expect(lines).toEqual([]);
    warnIfMailIsUnsent({ ...mailConfig, NODE_ENV: 'production' }, logger);
    expect(lines.join('')).toContain('mails are written to a folder instead of being sent: set SMTP_URL');
  });
});
