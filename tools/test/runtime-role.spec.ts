import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { getTestServerAddresses, waitFor } from '@switchboard/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

/**
 * SQL code blocks of docs/operate/upgrades.md: for a new database, for the owner of the new database, and for an
 * existing database.
 */
const [newDatabaseSql = '', ownerSql = '', existingDatabaseSql = ''] = [
  ...readFileSync(join(root, 'docs/operate/upgrades.md'), 'utf8').matchAll(/^```sql[^\n]*\n([^]*?)^```/gm),
].map(([, sql = '']) => sql);

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql);
    return rows;
  } finally {
    await client.end();
  }
}

/** A service under test whose processes connect to PostgreSQL with a role that owns no database objects. */
class RestrictedService {
  readonly name: string;
  readonly log: string[] = [];
  readonly #files = mkdtempSync(join(tmpdir(), 'runtime-role-'));
  #child: ChildProcess | undefined;
  #origin = '';

  constructor(readonly app: 'chat' | 'inventory') {
    this.name = `role_${app}_${randomBytes(4).toString('hex')}`;
  }

  /** Returns an SQL code block of the document, adapted to this service's database. */
  sql(block: string): string {
    return block.replaceAll(/\bchat\b/g, this.name).replaceAll('chat_owner', `${this.name}_owner`);
  }

  url(role: string, password: string, database = this.name): string {
    const url = new URL(getTestServerAddresses().postgresUrl);
    url.pathname = `/${database}`;
    if (role !== '') [url.username, url.password] = [role, password];
    return url.href;
  }

  get superuserUrl(): string {
    return this.url('', '');
  }

  get ownerUrl(): string {
    return this.url(`${this.name}_owner`, 'first secret');
  }

  get env(): Record<string, string> {
    return {
      PATH: process.env['PATH'] ?? '',
      NODE_ENV: 'test',
      MIGRATE_AT_BOOT: 'false',
      DATABASE_URL: this.url(this.name, 'second secret'),
      MIGRATION_DATABASE_URL: this.ownerUrl,
      REDIS_URL: getTestServerAddresses().redisUrl,
      REDIS_KEY_PREFIX: `${this.name}:`,
      PORT: '0',
      METRICS_PORT: '0',
      WEBHOOK_ALLOW_LOOPBACK: 'true',
      UPLOADS_DIR: this.#files,
      MAIL_FOLDER: this.#files,
      MEDIA_ROOT: this.#files,
      RESPONSE_FOLDER: this.#files,
    };
  }

  admin(args: readonly string[], env: Record<string, string> = {}): string {
    const program = join(root, 'apps', this.app, 'dist/admin-bundle.js');
    return execFileSync(process.execPath, [program, ...args], { env: { ...this.env, ...env }, encoding: 'utf8' });
  }

  async start(): Promise<void> {
    const child = spawn(process.execPath, [join(root, 'apps', this.app, 'dist/bundle.js')], {
      env: this.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    for (const output of [child.stdout, child.stderr]) {
      createInterface({ input: output }).on('line', (line) => {
        this.log.push(line);
        if (line.includes('"listening"')) this.#origin = (JSON.parse(line) as { url: string }).url;
      });
    }
    const hasEnded = (): boolean => child.exitCode !== null;
    await waitFor(() => this.#origin !== '' || hasEnded(), { timeoutMs: 120_000, what: 'a service that listens' });
    if (hasEnded()) throw new Error(this.log.join('\n'));
  }

  /** Sends a request and checks that the response is successful. Returns the JSON body of the response. */
  async call<T>(
    method: string,
    path: string,
    init: { headers?: Record<string, string>; body?: BodyInit } = {},
  ): Promise<T> {
    const response = await fetch(this.#origin + path, { method, ...init });
    const text = await response.text();
    expect(response.ok, `${method} ${path}: ${response.status} ${text}`).toBe(true);
    return (text === '' ? null : JSON.parse(text)) as T;
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child?.exitCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    rmSync(this.#files, { recursive: true, force: true });
    await query(getTestServerAddresses().postgresUrl, `DROP DATABASE IF EXISTS ${this.name} WITH (FORCE)`);
    await query(
      getTestServerAddresses().postgresUrl,
      `DROP ROLE IF EXISTS ${this.name}; DROP ROLE IF EXISTS ${this.name}_owner`,
    );
  }

  /**
   * Checks the PostgreSQL role of the processes. The role must own no database objects, and PostgreSQL must never have
   * refused a statement of the role.
   */
  async checkRole(): Promise<void> {
    const owned = `SELECT classid::regclass::text, objid FROM pg_shdepend
      WHERE deptype = 'o' AND refobjid = '${this.name}'::regrole`;
    expect(await query(this.superuserUrl, owned)).toEqual([]);
    expect(this.log.filter((line) => /permission denied|must be owner/.test(line))).toEqual([]);
  }
}

/**
 * Runs the statements of an SQL code block one by one, because CREATE DATABASE must not run in a transaction with other
 * statements.
 */
async function runBlock(url: string, block: string): Promise<void> {
  for (const statement of block.split(/;\n/).filter((text) => text.trim() !== '')) await query(url, statement);
}

describe('chat in a new database with a role that owns nothing', { timeout: 300_000 }, () => {
  const chat = new RestrictedService('chat');

  beforeAll(async () => {
    await runBlock(getTestServerAddresses().postgresUrl, chat.sql(newDatabaseSql));
    await runBlock(chat.ownerUrl, chat.sql(ownerSql));
    chat.admin(['migrate']);
    chat.admin(['create-realm', '--name', 'Example', '--host', '127.0.0.1']);
    const account = ['--email', 'me@example.com', '--full-name', 'Me', '--password', 'A long password 1'];
    chat.admin(['create-owner', ...account]);
    await chat.start();
  }, 300_000);
  afterAll(() => chat.stop());

  it('serves messages, uploads, searches and events', async () => {
    const form = (fields: Record<string, string>): URLSearchParams => new URLSearchParams(fields);
    const credentials = form({ username: 'me@example.com', password: 'A long password 1' });
    const { api_key: key } = await chat.call<{ api_key: string }>('POST', '/api/v1/fetch_api_key', {
      body: credentials,
    });
    const headers = { authorization: `Basic ${btoa(`me@example.com:${key}`)}` };
    const call = <T>(method: string, path: string, body?: BodyInit): Promise<T> =>
      chat.call<T>(method, `/api/v1/${path}`, { headers, ...(body && { body }) });

    await call('POST', 'users/me/subscriptions', form({ subscriptions: '[{"name":"roles"}]' }));
    const { queue_id: queue } = await call<{ queue_id: string }>('POST', 'register', form({}));
    const message = form({ type: 'stream', to: 'roles', topic: 'first', content: 'a quixotic plan' });
    const { id } = await call<{ id: number }>('POST', 'messages', message);
    await call('PATCH', `messages/${id}`, form({ content: 'a quixotic idea', topic: 'second' }));
    const file = new FormData();
    file.set('file', new Blob(['text']), 'a.txt');
    await call('POST', 'user_uploads', file);
    await call('PATCH', 'realm', form({ name: 'Renamed' }));
    const types: string[] = [];
    const wanted = ['message', 'update_message', 'realm'];
    for (let last = -1; !wanted.every((type) => types.includes(type));) {
      const { events } = await call<{ events: { id: number; type: string }[] }>(
        'GET',
        `events?queue_id=${queue}&last_event_id=${last}`,
      );
      types.push(...events.map(({ type }) => type));
      last = events.at(-1)?.id ?? last;
    }
    const narrow = encodeURIComponent('[{"operator":"search","operand":"quixotic"}]');
    const found = await call<{ messages: { id: number }[] }>(
      'GET',
      `messages?anchor=newest&num_before=5&num_after=0&narrow=${narrow}`,
    );
    expect(found.messages.map((one) => one.id)).toEqual([id]);
    await call('DELETE', `messages/${id}`);
    await chat.checkRole();
  });
});

describe('inventory in an existing database whose tables got another owner', { timeout: 300_000 }, () => {
  const inventory = new RestrictedService('inventory');
  const received: string[] = [];
  const receiver = createServer((request, response) => {
    request.resume();
    received.push(request.url ?? '');
    response.end();
  });
  let token = '';

  beforeAll(async () => {
    const { name, superuserUrl } = inventory;
    const server = getTestServerAddresses().postgresUrl;
    await query(server, `CREATE ROLE ${name} LOGIN PASSWORD 'second secret'`);
    await query(server, `CREATE DATABASE ${name} OWNER ${name}`);
    inventory.admin(['migrate'], { MIGRATION_DATABASE_URL: inventory.env['DATABASE_URL'] ?? '' });
    await query(server, `CREATE ROLE ${name}_owner LOGIN PASSWORD 'first secret'`);
    await runBlock(superuserUrl, inventory.sql(existingDatabaseSql));
    await runBlock(inventory.ownerUrl, inventory.sql(ownerSql));
    inventory.admin(['migrate']);
    inventory.admin(['create-superuser', 'admin', '--password', 'A long password 1']);
    token = /nbt_\S+/.exec(inventory.admin(['create-token', 'admin']))?.[0] ?? '';
    await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening));
    await inventory.start();
  }, 300_000);
  afterAll(async () => {
    receiver.close();
    await inventory.stop();
  });

  it('serves writes with change records and webhooks', async () => {
    const call = <T>(method: string, path: string, body?: object): Promise<T> =>
      inventory.call<T>(method, `/api/${path}`, {
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
    const { port } = receiver.address() as AddressInfo;
    const webhook = { name: 'roles', payload_url: `http://127.0.0.1:${port}/hook` };
    const { id: webhookId } = await call<{ id: number }>('POST', 'extras/webhooks/', webhook);
    await call('POST', 'extras/event-rules/', {
      name: 'roles',
      object_types: ['dcim.manufacturer'],
      event_types: ['object_created'],
      action_type: 'webhook',
      action_object_type: 'extras.webhook',
      action_object_id: webhookId,
    });
    await call('POST', 'dcim/manufacturers/', { name: 'Acme', slug: 'acme' });
    await waitFor(() => received.length > 0, { timeoutMs: 120_000, what: 'a webhook' });
    // So many that they are staged in temporary tables.
    const names = Array.from({ length: 600 }, (_, index) => ({ name: `Site ${index}`, slug: `site-${index}` }));
    const sites = await call<{ id: number }[]>('POST', 'dcim/sites/', names);
    await call(
      'PATCH',
      'dcim/sites/',
      sites.map(({ id }) => ({ id, description: 'changed' })),
    );
    const { count } = await call<{ count: number }>('GET', 'dcim/sites/?description=changed');
    expect(count).toBe(600);
    await call(
      'DELETE',
      'dcim/sites/',
      sites.map(({ id }) => ({ id })),
    );
    const changes = await call<{ count: number }>('GET', 'core/object-changes/?changed_object_type=dcim.site');
    expect(changes.count).toBe(1_800);
    await inventory.checkRole();
  });
});
