import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { TestCertificateAuthority } from '@switchboard/testing';
import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChatCluster, chatCluster, type ChatProcess, type DemoUser, signIn } from '../../../test/chat-server.js';
import { SmtpClient } from '../../../test/smtp-client.js';

const program = fileURLToPath(new URL('../../../dist/bundle.js', import.meta.url));

let cluster: ChatCluster;
let folder: string;
let authority: TestCertificateAuthority;
let chat: ChatProcess;
let hamlet: DemoUser;
let address: string;

beforeAll(async () => {
  cluster = await chatCluster();
  folder = await mkdtemp(join(tmpdir(), 'chat-tls-'));
  authority = await TestCertificateAuthority.create();
  const { key, cert } = await authority.issueCertificate(['127.0.0.1']);
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  await Promise.all([writeFile(keyFile, key), writeFile(certFile, cert)]);
  chat = await cluster.start({
    INCOMING_MAIL_PORT: '0',
    INCOMING_MAIL_PARSE_MS: '60000',
    INCOMING_MAIL_TLS_KEY_FILE: keyFile,
    INCOMING_MAIL_TLS_CERTIFICATE_FILE: certFile,
  });
  hamlet = await signIn(chat, 'hamlet');
  const { rows } = await chat.runtime.database.query<{ id: number }>("SELECT id FROM channels WHERE name = 'Verona'");
  const path = `/api/v1/streams/${rows[0]?.id}/email_address`;
  address = (await hamlet.client.get<{ email: string }>(path)).body.email;
});
afterAll(async () => {
  await cluster.stop();
  await rm(folder, { recursive: true, force: true });
});

async function send(text: string, port = chat.runtime.incomingMail.port ?? 0): Promise<string> {
  const client = await SmtpClient.open(port);
  await client.reply();
  const reply = await client.send('sender@example.org', [address], text);
  client.close();
  return reply;
}

/** Starts a worker process that runs an SMTP server for emails to channels. */
function spawnWorker(env: Record<string, string>): {
  readonly port: Promise<number>;
  readonly ended: Promise<unknown>;
} {
  const { DATABASE_URL, REDIS_URL, REDIS_KEY_PREFIX, UPLOADS_DIR } = chat.runtime.config;
  const mail = { INCOMING_MAIL_PORT: '0', INCOMING_MAIL_ROLE: 'worker', INCOMING_MAIL_PARSE_MS: '600000' };
  const settings = { DATABASE_URL, REDIS_URL, REDIS_KEY_PREFIX, UPLOADS_DIR, ...mail, ...env };
  const worker = spawn(process.execPath, [program], {
    env: { PATH: process.env['PATH'], NODE_ENV: 'test', ROLE: 'worker', PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const port = (async () => {
    for await (const line of createInterface({ input: worker.stdout })) {
      const found = /"port":(\d+),"msg":"listening for mail to channels"/.exec(line)?.[1];
      if (found !== undefined) return Number(found);
    }
    throw new Error('The worker has ended');
  })();
  return { port, ended: once(worker, 'exit') };
}

async function countMessages(topic: string): Promise<number> {
  const narrow = JSON.stringify([
    { operator: 'channel', operand: 'Verona' },
    { operator: 'topic', operand: topic },
  ]);
  const query = { anchor: 'newest', num_before: '10', num_after: '0', narrow };
  return (await hamlet.client.get<{ messages: unknown[] }>('/api/v1/messages', { query })).body.messages.length;
}

const head = (subject: string) => `From: a@example.org\nMessage-ID: <${subject}@example.org>\nSubject: ${subject}\n`;

/** Runs `work`, and returns the longest time in milliseconds for which the event loop was blocked. */
async function longestStall(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 5);
  await work();
  clearInterval(timer);
  return longest;
}

describe('SMTP server for mail to channels', () => {
  it('offers STARTTLS with the configured certificate', async () => {
    const { port } = chat.runtime.incomingMail;
    const tls = { ca: authority.cert };
    const transport = createTransport({ host: '127.0.0.1', port: port ?? 0, requireTLS: true, tls });
    await transport.sendMail({ from: 'a@example.org', to: address, subject: 'encrypted', text: 'x' });
    transport.close();
    expect(await countMessages('encrypted')).toBe(1);
  });

  it('posts a mail once if the process is killed between the commit and the 250', async () => {
    const text = `${head('lost')}\nonce`;
    const killed = spawnWorker({ FAULT_POINT: 'channel-mail.after-commit:1' });
    const reply = await send(text, await killed.port).catch(() => '');
    await killed.ended;
    expect(reply).toBe('');
    expect(await countMessages('lost')).toBe(1);
    expect(await send(text)).toMatch(/^250 /);
    expect(await countMessages('lost')).toBe(1);
  }, 120_000);

  it('replies 451 while the message cannot be committed, and posts the repeated mail', async () => {
    const { database } = chat.runtime;
    await database.query('ALTER TABLE delivered_mails RENAME TO delivered_mails_away');
    const text = `${head('later')}\nx`;
    expect(await send(text)).toMatch(/^451 /);
    await database.query('ALTER TABLE delivered_mails_away RENAME TO delivered_mails');
    expect(await countMessages('later')).toBe(0);
    expect(await send(text)).toMatch(/^250 /);
    expect(await countMessages('later')).toBe(1);
  });

  it.each([
    ['nested parts', nested(2_000)],
    ['many files', manyFiles(5_000)],
    ['a huge header', `${head('header')}X-Long: ${'y'.repeat(1_500_000)}\n\nx`],
    ['many headers', `${head('headers')}${'X-A: b\n'.repeat(100_000)}\nx`],
    ['nested HTML', `${head('html')}Content-Type: text/html\n\n${'<b>'.repeat(100_000)}`],
    ['an unknown charset and broken encodings', broken()],
  ])(
    'parses a mail with %s without blocking the event loop',
    async (_name, text) => {
      let reply = '';
      const stall = await longestStall(async () => {
        reply = await send(text);
      });
      expect(reply).toMatch(/^(250|554|451|552) /);
      expect(stall).toBeLessThan(1_000);
      expect((await hamlet.client.get('/api/v1/users/me')).status).toBe(200);
    },
    60_000,
  );

  it('refuses further mails after the rate limit of the organization is reached', async () => {
    const limited = await cluster.start({ INCOMING_MAIL_PORT: '0', RATE_LIMIT_CHANNEL_MAIL_BY_REALM: '600:2' });
    const client = await SmtpClient.open(limited.runtime.incomingMail.port ?? 0);
    await client.reply();
    await client.command('EHLO x');
    await client.command('MAIL FROM:<a@example.org>');
    const [mailbox = '', domain = ''] = address.split('@');
    const replies: string[] = [];
    for (const option of ['include-quotes', 'include-footer', 'prefer-html']) {
      replies.push(await client.command(`RCPT TO:<${mailbox}.${option}@${domain}>`));
    }
    client.close();
    expect(replies.map((reply) => reply.slice(0, 3))).toEqual(['250', '250', '450']);
  });

  it('finishes processing a received mail before the process stops', async () => {
    const other = await cluster.start({ INCOMING_MAIL_PORT: '0', INCOMING_MAIL_PARSE_MS: '600000' });
    const port = other.runtime.incomingMail.port ?? 0;
    const client = await SmtpClient.open(port);
    await client.reply();
    const sending = client.send('a@example.org', [address], `${head('stopping')}\nx`);
    await other.stop();
    const reply = await sending;
    client.close();
    if (reply.startsWith('250')) expect(await countMessages('stopping')).toBe(1);
    else expect(reply).toMatch(/^(421|$)/);
    await expect(SmtpClient.open(port)).rejects.toThrow('ECONNREFUSED');
  });

  it('does not start when only one of the two TLS files is configured', async () => {
    const env = { INCOMING_MAIL_PORT: '0', INCOMING_MAIL_TLS_KEY_FILE: join(folder, 'key.pem') };
    await expect(cluster.start(env)).rejects.toThrow('INCOMING_MAIL_TLS_CERTIFICATE_FILE');
  });
});

function nested(depth: number): string {
  const parts = Array.from({ length: depth }, (_part, index) => {
    return `Content-Type: multipart/mixed; boundary=b${index}\n\n--b${index}\n`;
  });
  return `${head('nested')}${parts.join('')}Content-Type: text/plain\n\ndeep\n`;
}

function manyFiles(count: number): string {
  const file = '--b\nContent-Disposition: attachment; filename=f.txt\n\nx\n';
  return `${head('files')}Content-Type: multipart/mixed; boundary=b\n\n--b\n\ntext\n${file.repeat(count)}--b--\n`;
}

function broken(): string {
  return (
    `${head('broken')}Content-Type: text/plain; charset=no-such\nContent-Transfer-Encoding: base64\n` +
    'Subject: =?utf-8?B?////?= =?x?Q?=ZZ?=\n\n!!!! not base64 \u0000\n'
  );
}
