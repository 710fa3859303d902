import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openTestDatabase, openTestRedis, waitFor } from '@switchboard/testing';

const repository = join(import.meta.dirname, '../../../..');

/** Parsed JSON response of the chat service. */
export type ChatResponse = Readonly<Record<string, unknown>>;

/**
 * The chat service in a separate process, started as in production, with its demo organization. The inventory service
 * reaches the chat service only over HTTP.
 */
export class ChatProcess {
  private constructor(
    readonly url: string,
    private readonly end: () => Promise<void>,
  ) {}

  /** Starts the chat service with a separate database and Redis prefix. Waits until the service accepts connections. */
  static async start(): Promise<ChatProcess> {
    const database = await openTestDatabase({
      name: 'chat_server',
      hash: 'empty',
      prepare: async () => {},
      unused: true,
    });
    const redis = openTestRedis();
    const files = await mkdtemp(join(tmpdir(), 'chat-process-'));
    const child = spawn(process.execPath, [join(repository, 'apps/chat/dist/bundle.js')], {
      env: {
        PATH: process.env['PATH'],
        NODE_ENV: 'development',
        PORT: '0',
        DATABASE_URL: database.url,
        REDIS_URL: redis.url,
        REDIS_KEY_PREFIX: redis.prefix,
        UPLOADS_DIR: files,
        MAIL_FOLDER: files,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = once(child, 'exit');
    const url = await listening(child);
    return new ChatProcess(url, async () => {
      child.kill('SIGKILL');
      await ended;
      await Promise.all([redis.cleanup(), rm(files, { recursive: true, force: true })]);
      await database.release();
    });
  }

  /** Sends a request as a user of the chat service, and expects status 200. Returns the JSON of the response. */
  async call(
    method: 'GET' | 'POST',
    path: string,
    { account, ...form }: Readonly<Record<string, string>> = {},
  ): Promise<ChatResponse> {
    const parameters = new URLSearchParams(form);
    const response = await fetch(`${this.url}/api/v1/${path}${method === 'GET' ? `?${parameters}` : ''}`, {
      method,
      headers: account === undefined ? {} : { authorization: `Basic ${Buffer.from(account).toString('base64')}` },
      ...(method === 'POST' ? { body: parameters } : {}),
    });
    const body = (await response.json()) as ChatResponse;
    if (body['result'] !== 'success') throw new Error(`${method} ${path}: ${JSON.stringify(body)}`);
    return body;
  }

  async stop(): Promise<void> {
    await this.end();
  }
}

async function listening(child: ChildProcess): Promise<string> {
  const log: string[] = [];
  let url = '';
  for (const output of [child.stdout, child.stderr]) {
    createInterface({ input: output! }).on('line', (line) => {
      log.push(line);
      if (line.includes('"listening"')) url = String(JSON.parse(line).url);
    });
  }
  const running = (): boolean => child.exitCode === null && child.signalCode === null;
  await waitFor(() => url !== '' || !running(), { timeoutMs: 60_000, what: 'a chat service that listens' });
  if (url === '') throw new Error(`The chat service ended:\n${log.join('\n')}`);
  return url;
}
