import { randomBytes } from 'node:crypto';
import { requireEncryptionKeysMatchDatabase, runSecretsCommand } from '@switchboard/auth';
import type { InProcessApiClient } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../src/config.js';
import { inventorySecretColumns } from '../src/secrets/stored-secrets.js';
import { startInventory, type TestInventory } from './support/test-service.js';
import { InventoryProcess } from './support/start-inventory-process.js';
import { type SecondProcess, startSecondProcess } from './support/start-second-process.js';

type Json = Record<string, unknown>;

/** Parts of the JSON that the command `secrets status --json` prints. */
interface StatusJson {
  readonly state: string;
  readonly texts: readonly { column: string; keyId: string | null; count: number }[];
  readonly digests: readonly { column: string; pepperId: number | null; count: number }[];
  readonly inUse: readonly { kind: string; id: string }[];
}

const { SECRET_ENCRYPTION_KEYS, SECRET_PEPPERS } = readConfig({ NODE_ENV: 'test' });
const textOf = (pairs: readonly (readonly [string, string])[]): string => pairs.map((pair) => pair.join(':')).join(',');
const newKeys = {
  SECRET_ENCRYPTION_KEYS: `k2:${randomBytes(32).toString('base64')}`,
  SECRET_PEPPERS: `2:${randomBytes(32).toString('hex')}`,
};
const env = {
  SECRET_ENCRYPTION_KEYS: `${newKeys.SECRET_ENCRYPTION_KEYS},${textOf(SECRET_ENCRYPTION_KEYS)}`,
  SECRET_PEPPERS: `${newKeys.SECRET_PEPPERS},${textOf(SECRET_PEPPERS)}`,
};
/**
 * Settings before the key rotation. The new keys are already configured, but new texts are not yet encrypted with them.
 */
const former = {
  SECRET_ENCRYPTION_KEYS: `${textOf(SECRET_ENCRYPTION_KEYS)},${newKeys.SECRET_ENCRYPTION_KEYS}`,
  SECRET_PEPPERS: env.SECRET_PEPPERS,
  SECRET_PEPPER_CURRENT: String(SECRET_PEPPERS[0]?.[0]),
};
let test: TestInventory;
let rotated: SecondProcess;

beforeAll(async () => {
  test = await startInventory(former);
  rotated = await startSecondProcess(test, env);
  await storeSecrets();
});
afterAll(async () => {
  await rotated.close();
  await test.close();
});

const query = async (sql: string, values: unknown[] = []): Promise<Json[]> =>
  (await test.inventory.database.query<Json>(sql, values)).rows;

async function add(path: string, json: Json): Promise<number> {
  const { status, body } = await test.api.post<{ id: number }>(path, { json });
  expect([status, path]).toEqual([201, path]);
  return body.id;
}

/** Stores a secret in each encrypted column, with the keys from before the rotation. */
async function storeSecrets(): Promise<void> {
  await add('/api/vpn/ike-policies/', { name: 'Alpha', version: 2, preshared_key: 'sesame' });
  await add('/api/ipam/fhrp-groups/', { group_id: 1, protocol: 'vrrp2', auth_type: 'plaintext', auth_key: 'group' });
  await add('/api/wireless/wireless-lans/', { ssid: 'Office', auth_type: 'wpa-personal', auth_psk: 'wireless' });
  const hook = await add('/api/extras/webhooks/', {
    name: 'Hook',
    payload_url: 'http://localhost:9/',
    secret: 'first',
  });
  await test.api.patch(`/api/extras/webhooks/${hook}/`, { json: { secret: 'second' } });
  const server = { server_url: 'https://chat.example.com', bot_email: 'a@b.test', channel: 'ops' };
  await add('/api/extras/chat-destinations/', { ...server, name: 'Chat', bot_key: 'bot key' });
  const source = { name: 'Source', type: 'git', source_url: 'https://git.example/one.git' };
  await add('/api/core/data-sources/', { ...source, parameters: { password: 'open' } });
  await query('UPDATE core_datasource SET aws_secret_access_key = $1', [
    test.inventory.keys.box.seal('cloud', 'core.datasource.aws_secret_access_key'),
  ]);
}

/** Runs the command `secrets` with the keys of a process. Returns the exit code and the output of the command. */
async function secrets(action: string, isJson = false, isConfirmed = false): Promise<[number, string]> {
  const lines: string[] = [];
  const { database, keys } = rotated.inventory;
  const options = { database, keys, stored: inventorySecretColumns, print: (line: string) => void lines.push(line) };
  const code = await runSecretsCommand(options, {
    action,
    isJson,
    key: undefined,
    pepper: undefined,
    isConfirmed,
  });
  return [code, lines.join('\n')];
}

const status = async (): Promise<StatusJson> => JSON.parse((await secrets('status', true))[1]) as StatusJson;

describe('list of columns with secrets', () => {
  it('contains all columns that store digests of secrets or have the name of a secret', async () => {
    const rows = await query(
      `SELECT table_name AS table, column_name AS column FROM information_schema.columns
        WHERE table_schema = 'public' AND (column_name LIKE '%\\_digest' OR column_name LIKE '%pepper%'
          OR column_name LIKE '%secret%' OR column_name LIKE '%psk%' OR column_name LIKE '%password%') ORDER BY 1, 2`,
    );
    const listed = new Set([
      ...inventorySecretColumns.sealed.flatMap(({ table, column, digest }) => [
        `${table}.${column}`,
        `${table}.${digest?.column}`,
      ]),
      ...inventorySecretColumns.digests.map(({ table, pepperIdColumn }) => `${table}.${pepperIdColumn}`),
    ]);
    const unlisted = rows
      .map(({ table, column }) => `${String(table)}.${String(column)}`)
      .filter((name) => !listed.has(name));
    // Hashes, digests without a pepper, and a time.
    const others = ['extras_webhook.secret_rotated', 'users_session.password_digest', 'users_user.password'];
    expect(unlisted).toEqual(others);
  });

  it('contains all columns in which encrypted texts are found', async () => {
    const columns = await query(
      `SELECT table_schema AS schema, table_name AS name, column_name AS column FROM information_schema.columns
        JOIN information_schema.tables USING (table_schema, table_name)
        WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema', 'as_prepared')
          AND data_type IN ('text', 'character varying', 'json', 'jsonb', 'ARRAY') ORDER BY 1, 2, 3`,
    );
    const found: string[] = [];
    for (const { schema, name, column } of columns) {
      const text = `"${String(column)}"::text ~ 'v1\\.[A-Za-z0-9_-]{1,64}\\.[A-Za-z0-9_-]{16}\\.'`;
      const rows = await query(`SELECT FROM "${String(schema)}"."${String(name)}" WHERE ${text} LIMIT 1`);
      if (rows.length > 0) found.push(`${String(name)}.${String(column)}`);
    }
    const listed = inventorySecretColumns.sealed.map(({ table, column }) => `${table}.${column}`);
    expect(found.toSorted()).toEqual(listed.filter((name) => name !== 'wireless_wirelesslink.auth_psk').toSorted());
  });
});

describe('admin command `secrets`', () => {
  const formerPepper = Number(SECRET_PEPPERS[0]?.[0]);

  it('counts encrypted texts by key, and digests by pepper', async () => {
    const { state, texts, digests } = await status();
    expect(state).toBe('outdated');
    expect(new Set(texts.map(({ keyId }) => keyId))).toEqual(new Set(['dev']));
    expect(texts).toContainEqual({ column: 'extras_webhook.former_secrets', keyId: 'dev', count: 1 });
    expect(new Set(digests.map(({ pepperId }) => pepperId))).toEqual(new Set([formerPepper]));
    expect(digests).toContainEqual(expect.objectContaining({ column: 'vpn_ikepolicy.preshared_key_digest', count: 1 }));
    expect((await secrets('status'))[0]).toBe(3);
  });

  it('encrypts all secrets again with the first configured key', async () => {
    const before = await query(
      'SELECT secret_rotated, jsonb_array_length(former_secrets) AS count FROM extras_webhook',
    );
    const [code, output] = await secrets('rewrap');
    expect([code, output]).toEqual([0, expect.stringContaining('Encryption key "dev" is not in use any more')]);
    const { texts, digests, inUse } = await status();
    expect(new Set(texts.map(({ keyId }) => keyId))).toEqual(new Set(['k2']));
    const remaining = digests.filter(({ pepperId }) => pepperId !== 2);
    expect(remaining.map(({ column }) => column)).toEqual(['users_token.digest']);
    expect(inUse.map(({ kind, id }) => `${kind} ${id}`)).toEqual(['key k2', `pepper ${formerPepper}`, 'pepper 2']);
    const after = 'SELECT secret_rotated, jsonb_array_length(former_secrets) AS count FROM extras_webhook';
    expect(await query(after)).toEqual(before);
    const { body } = await rotated.api.get<{ results: Json[] }>('/api/vpn/ike-policies/?preshared_key=sesame');
    expect(body.results).toMatchObject([{ name: 'Alpha', preshared_key: 'sesame' }]);
    const { box } = rotated.inventory.keys;
    const [hook] = await query('SELECT secret, former_secrets AS former FROM extras_webhook');
    const replaced = (hook?.['former'] ?? []) as { secret: string }[];
    expect(box.open(String(hook?.['secret']), 'extras.webhook.secret')).toBe('second');
    expect(box.open(replaced[0]?.secret ?? '', 'extras.webhook.secret')).toBe('first');
    const [source] = await query('SELECT password, aws_secret_access_key AS key FROM core_datasource');
    expect(box.open(String(source?.['password']), 'core.datasource.password')).toBe('open');
    expect(box.open(String(source?.['key']), 'core.datasource.aws_secret_access_key')).toBe('cloud');
  });

  it('writes no row in a repeated run', async () => {
    const version = 'SELECT version::text FROM event_rules_version';
    const before = await query(version);
    expect((await secrets('rewrap'))[0]).toBe(0);
    expect(await query(version)).toEqual(before);
  });
});

describe('token under a former pepper', () => {
  interface TokenBody {
    readonly id: number;
    readonly key: string | null;
    readonly token: string;
    readonly pepper_id: number;
  }

  const issue = async (version: number): Promise<{ id: number; authorization: string }> => {
    const json = { user: test.adminId, version };
    const { body } = await test.api.post<TokenBody>('/api/users/tokens/', { json });
    const { id, key, token } = body;
    return { id, authorization: key === null ? `Token ${token}` : `Bearer nbt_${key}.${token}` };
  };
  const pepperOf = async (id: number): Promise<unknown> =>
    (await query('SELECT pepper_id FROM users_token WHERE id = $1', [id]))[0]?.['pepper_id'];
  const statusOf = async (client: InProcessApiClient): Promise<number> => (await client.get('/api/status/')).status;

  it.each([1, 2])(
    'stores a digest under the current pepper when the token is used, token version %i',
    async (version) => {
      const { id, authorization } = await issue(version);
      const client = rotated.api.withHeaders({ authorization });
      expect(await pepperOf(id)).not.toBe(2);
      expect(await Promise.all([statusOf(client), statusOf(client)])).toEqual([200, 200]);
      expect(await pepperOf(id)).toBe(2);
      const alone = await startSecondProcess(test, newKeys);
      expect(await statusOf(alone.api.withHeaders({ authorization }))).toBe(200);
      await alone.close();
    },
  );

  it('retains its digest under the previous pepper when a request presents a wrong secret', async () => {
    const { id, authorization } = await issue(2);
    const wrong = authorization.slice(0, -1) + (authorization.endsWith('a') ? 'b' : 'a');
    expect(await statusOf(rotated.api.withHeaders({ authorization: wrong }))).toBe(403);
    expect(await pepperOf(id)).not.toBe(2);
  });

  it('requires its pepper until no digest under the pepper remains', async () => {
    await requireEncryptionKeysMatchDatabase(test.inventory.database, test.inventory.keys, inventorySecretColumns);
    await issue(2);
    await expect(secrets('rewrap')).rejects.toThrow('came into use after');
    expect((await secrets('rewrap', false, true))[1]).toMatch(
      /users_token\.digest: \d+ digests under pepper \d+ remain since 2\S+Z\. .*last use of one was at/,
    );
    await query('DELETE FROM users_token WHERE pepper_id <> 2');
    expect((await secrets('rewrap', false, true))[1]).toMatch(/Pepper "\d+" is not in use any more/);
    expect((await secrets('status'))[0]).toBe(0);
  });
});

describe('secrets rewrap on a database of an earlier release', () => {
  it('throws when the first key differs from the key at the first start', async () => {
    await query('DELETE FROM key_proofs');
    await requireEncryptionKeysMatchDatabase(test.inventory.database, test.inventory.keys, inventorySecretColumns);
    await expect(secrets('rewrap')).rejects.toThrow('Encryption key "dev" came into use after Encryption key "k2"');
    await secrets('rewrap', false, true);
    expect((await secrets('status'))[0]).toBe(0);
  });
});

describe('process of the inventory', { timeout: 120_000 }, () => {
  it('starts without keys that are no longer used, and refuses to start when a used key is missing', async () => {
    const started = await InventoryProcess.start(test, newKeys);
    await started.kill();
    await expect(InventoryProcess.start(test, {})).rejects.toThrow(
      /"fatal".*Encryption key .*k2.* is in use in this database, but is not configured/,
    );
    const another = { ...newKeys, SECRET_ENCRYPTION_KEYS: `k2:${randomBytes(32).toString('base64')}` };
    await expect(InventoryProcess.start(test, another)).rejects.toThrow(
      /"fatal".*Encryption key .*k2.* differs from the key with this id/,
    );
  });
});
