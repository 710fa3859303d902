import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createInterface } from 'node:readline';
import { requireEncryptionKeysMatchDatabase, EncryptionKeyMismatchError } from '@switchboard/auth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readChatServiceConfig } from '../src/app/environment.js';
import { chatSecretColumns } from '../src/app/stored-secrets.js';
import { createServiceKeys } from '../src/infra/key-ring.js';
import { type ChatCluster, chatCluster, type ChatProcess } from './chat-server.js';
import { defaultKeyVariables, createEncryptionKeyEntry, newPepper, SecretsCommand } from './secrets-command.js';

type Keys = Readonly<Record<string, string>>;

const second = { SECRET_ENCRYPTION_KEYS: createEncryptionKeyEntry('k2'), SECRET_PEPPERS: newPepper(2) };
const both = {
  SECRET_ENCRYPTION_KEYS: `${second.SECRET_ENCRYPTION_KEYS},${defaultKeyVariables.key}`,
  SECRET_PEPPERS: `${defaultKeyVariables.pepper},${second.SECRET_PEPPERS}`,
};
let cluster: ChatCluster;
let chat: ChatProcess;

beforeAll(async () => {
  cluster = await chatCluster();
  chat = await cluster.start({ ROLE: 'api' });
});
afterAll(() => cluster.stop());

/** Starts a program of the service on the database of the test. */
function spawnProgram(name: 'admin-bundle' | 'bundle', keys: Keys, args: readonly string[] = []): ChildProcess {
  const { DATABASE_URL, REDIS_URL, REDIS_KEY_PREFIX, UPLOADS_DIR, MAIL_FOLDER } = chat.runtime.config;
  const env = { DATABASE_URL, REDIS_URL, REDIS_KEY_PREFIX, UPLOADS_DIR, MAIL_FOLDER, PATH: process.env['PATH'] };
  const program = fileURLToPath(new URL(`../dist/${name}.js`, import.meta.url));
  return spawn(process.execPath, [program, ...args], {
    env: { ...env, NODE_ENV: 'test', PORT: '0', METRICS_PORT: '0', ROLE: 'api', BOOT_WAIT_MS: '0', ...keys },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Runs a program until it ends, and returns exit code and output without audit lines. */
async function run(
  name: 'admin-bundle' | 'bundle',
  keys: Keys,
  args: readonly string[] = [],
): Promise<[number | null, string]> {
  const child = spawnProgram(name, keys, args);
  let output = '';
  for (const stream of [child.stdout!, child.stderr!])
    stream.on('data', (data: Buffer) => void (output += data.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  const lines = output.split('\n').filter((line) => !line.includes('"module":"audit"'));
  return [code, lines.join('\n')];
}

/** Starts a process of the service with the given keys, waits until the process listens, and stops the process. */
async function startAndStop(keys: Keys): Promise<void> {
  const child = spawnProgram('bundle', keys);
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout! })) {
    lines.push(line);
    if (!line.includes('"listening"')) continue;
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    return;
  }
  throw new Error(lines.join('\n'));
}

/**
 * Starts a process of the service with keys that the process rejects. Returns the message of the only fatal log line.
 */
async function refusalOf(keys: Keys): Promise<string> {
  const [code, output] = await run('bundle', keys);
  const fatal = output.split('\n').filter((line) => line.includes('"fatal"'));
  expect([code, fatal.length]).toEqual([1, 1]);
  return String((JSON.parse(fatal[0] ?? '{}') as { msg?: unknown }).msg);
}

/**
 * Runs the check of keys with which every process starts, in this process, because a process takes seconds. Returns the
 * reason of a refusal, or null. {@link refusalOf} and {@link startAndStop} show that a process obeys the result.
 */
async function checkKeys(keys: Keys): Promise<string | null> {
  const serviceKeys = createServiceKeys(readChatServiceConfig({ NODE_ENV: 'test', ...keys }));
  try {
    await requireEncryptionKeysMatchDatabase(
      chat.runtime.database.background('check of keys'),
      serviceKeys,
      chatSecretColumns,
    );
    return null;
  } catch (error) {
    if (error instanceof EncryptionKeyMismatchError) return error.message;
    throw error;
  }
}

const remedy =
  'is in use in this database, but is not configured. Configure it again. docs/operate/keys.md describes what to do if it is lost.';

describe('process of chat', { timeout: 300_000 }, () => {
  it('refuses to start without a key with which an earlier release encrypted texts in the database', async () => {
    expect(await refusalOf({ ...both, ...second })).toBe(`Encryption key "dev" ${remedy}`);
    const { rows } = await chat.runtime.database.query('SELECT * FROM key_proofs');
    expect(rows).toEqual([]);
  });

  it('refuses to start with a key that decrypts no text of a database of an earlier release', async () => {
    expect(await checkKeys({ SECRET_ENCRYPTION_KEYS: createEncryptionKeyEntry('dev') })).toBe(
      'Encryption key "dev" decrypts none of the texts under its id in this database. Configure the key that encrypted them.',
    );
    const { rows } = await chat.runtime.database.query('SELECT * FROM key_proofs');
    expect(rows).toEqual([]);
  });

  it('refuses to start with a different key or pepper under an id that is already in use', async () => {
    await startAndStop({});
    const reason = 'differs from the';
    expect(await checkKeys({ SECRET_ENCRYPTION_KEYS: createEncryptionKeyEntry('dev') })).toContain(
      `Encryption key "dev" ${reason} key with this id`,
    );
    expect(await checkKeys({ SECRET_PEPPERS: newPepper(1) })).toContain(`Pepper "1" ${reason} pepper with this id`);
  });

  it('refuses to start when a pepper in use is missing, and admin commands fail likewise', async () => {
    const text = `Pepper "1" ${remedy}`;
    expect(await checkKeys({ SECRET_PEPPERS: second.SECRET_PEPPERS })).toBe(text);
    expect(await run('admin-bundle', { SECRET_PEPPERS: second.SECRET_PEPPERS }, ['list-dead-letters'])).toEqual([
      1,
      `${text}\n`,
    ]);
  });

  it('starts without the previous key only after rewrap completes, even if an earlier rewrap was killed', async () => {
    expect(await checkKeys(both)).toBeNull();
    const missing = { ...both, SECRET_ENCRYPTION_KEYS: second.SECRET_ENCRYPTION_KEYS };
    expect(await checkKeys(missing)).toBe(`Encryption key "dev" ${remedy}`);
    const former = { ...both, SECRET_ENCRYPTION_KEYS: both.SECRET_ENCRYPTION_KEYS.split(',').toReversed().join(',') };
    const early = await run('admin-bundle', former, ['secrets', 'rewrap']);
    expect(early).toEqual([1, expect.stringContaining('Encryption key "k2" came into use after Encryption key "dev"')]);
    const killed = spawnProgram('admin-bundle', both, ['secrets', 'rewrap']);
    await once(killed.stdout!, 'data');
    killed.kill('SIGKILL');
    await once(killed, 'close');
    const [code, output] = await run('admin-bundle', both, ['secrets', 'rewrap']);
    expect([code, output]).toEqual([0, expect.stringContaining('All texts are under the first key')]);
    await startAndStop(missing);
    expect((await run('admin-bundle', former, ['list-dead-letters']))[0]).toBe(0);
    expect(await checkKeys(second)).toBeNull();
    expect(await run('admin-bundle', second, ['secrets', 'status'])).toEqual([
      0,
      expect.stringContaining('k2 (first)'),
    ]);
  });

  it('starts without a lost key after the key was abandoned', async () => {
    const third = { ...second, SECRET_ENCRYPTION_KEYS: createEncryptionKeyEntry('k3') };
    expect(await checkKeys(third)).toBe(`Encryption key "k2" ${remedy}`);
    const counted = await run('admin-bundle', third, ['secrets', 'abandon', '--key', 'k2']);
    expect(counted).toEqual([3, expect.stringContaining('Repeat the command with --yes')]);
    expect(await checkKeys(third)).toBe(`Encryption key "k2" ${remedy}`);
    const [code, output] = await run('admin-bundle', third, ['secrets', 'abandon', '--key', 'k2', '--yes']);
    expect([code, output]).toEqual([0, expect.stringMatching(/users\.api_key_sealed: \d+ texts are lost/)]);
    await startAndStop(third);
    const command = new SecretsCommand(chat.runtime.database, third);
    expect((await command.run('status')).code).toBe(0);
    expect((await command.run('abandon', { key: 'k3' })).code).toBe(1);
  });
});
