import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { ChatUser } from '../chat/chat-user.js';
import { EventReader } from '../chat/event-reader.js';
import { conversation, MessageWriter } from '../chat/message-writer.js';
import type { Findings } from '../findings.js';
import type { Random } from '../random.js';
import type { Deployment } from '../services/deployment.js';

const run = promisify(execFile);
const program = resolve(import.meta.dirname, '../../../apps/chat/dist/admin-bundle.js');
const host = 'second.example.com';
const email = `owner@${host}`;

/** Load of a second realm of chat, with one user who sends messages and reads event queues. */
export class SecondRealm {
  readonly #stopWriting = new AbortController();
  readonly #stopReading = new AbortController();
  #writing: Promise<void> = Promise.resolve();
  #reading: Promise<unknown> = Promise.resolve();

  private constructor(
    readonly user: ChatUser,
    readonly writer: MessageWriter,
    readonly readers: readonly EventReader[],
  ) {}

  static async create(
    deployment: Deployment,
    parts: { readonly random: Random; readonly findings: Findings },
  ): Promise<SecondRealm> {
    const environment = deployment.apis[0]?.options.env ?? {};
    await nameFirstRealm(environment['DATABASE_URL'] ?? '');
    const env = { PATH: process.env['PATH'], ...environment };
    const admin = (...args: string[]) => run(process.execPath, [program, ...args], { env });
    await admin('create-realm', '--name', 'Second', '--host', host);
    await admin('create-owner', '--email', email, '--full-name', 'Owner', '--realm', 'second');
    const user = await ChatUser.signIn(deployment.proxy.origin, email, host);
    const subscriptions = JSON.stringify([{ name: conversation.channel }]);
    await user.call('POST', 'users/me/subscriptions', { subscriptions });
    const own = () => ({ random: parts.random.fork(), findings: parts.findings, dropsMessages: true });
    const readers = (['poll', 'stream'] as const).map(
      (method) => new EventReader(user, `second realm (${method})`, method, own()),
    );
    return new SecondRealm(user, new MessageWriter(user, 'Second', own()), readers);
  }

  /** Number of messages whose sending the chat service has acknowledged so far. */
  get writes(): number {
    return this.writer.committed.size;
  }

  /** Starts the reader and the writer of the second realm. */
  async begin(): Promise<void> {
    await Promise.all(this.readers.map((reader) => reader.begin()));
    this.#reading = Promise.all(this.readers.map((reader) => reader.run(this.#stopReading.signal)));
    this.#writing = this.writer.run(this.#stopWriting.signal);
  }

  /** Stops the writer of the second realm. Afterwards no user of this realm writes. */
  async stopWriting(): Promise<void> {
    this.#stopWriting.abort();
    await this.#writing;
  }

  async stop(): Promise<void> {
    await this.stopWriting();
    this.#stopReading.abort();
    await this.#reading;
  }
}

/**
 * Sets the host of the first realm. A realm without a host serves requests for all hosts only while no other realm
 * exists.
 */
async function nameFirstRealm(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 60_000 });
  await client.connect();
  await client.query(`UPDATE realms SET host = '127.0.0.1'`);
  await client.end();
}
