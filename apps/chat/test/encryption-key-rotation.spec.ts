import { endpointSecretPurpose } from '@switchboard/webhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chatSecretColumns } from '../src/app/stored-secrets.js';
import { createStoredMailEncryptionPurpose, createEnqueuedMailEncryptionPurpose } from '../src/infra/mail/index.js';
import { VideoCallTokenStore } from '../src/features/video-calls/video-call-tokens.js';
import { ChatEventWriter } from '../src/events/chat-events.js';
import {
  createBasicAuthorization,
  type ChatCluster,
  chatCluster,
  type ChatProcess,
  type DemoUser,
  signIn,
} from './chat-server.js';
import { defaultKeyVariables, createEncryptionKeyEntry, newPepper, SecretsCommand } from './secrets-command.js';
import { storeSecrets, zoomToken } from './store-secrets.js';

type Json = Record<string, unknown>;

const env = {
  SECRET_ENCRYPTION_KEYS: `${createEncryptionKeyEntry('k2')},${defaultKeyVariables.key}`,
  SECRET_PEPPERS: `${defaultKeyVariables.pepper},${newPepper(2)}`,
};
let cluster: ChatCluster;
let former: ChatProcess;
let chat: ChatProcess;
let hamlet: DemoUser;
let iago: DemoUser;
let command: SecretsCommand;

beforeAll(async () => {
  cluster = await chatCluster();
  former = await cluster.start({ ROLE: 'api' });
  chat = await cluster.start({ ROLE: 'api', ...env });
  command = new SecretsCommand(chat.runtime.database, env);
  [hamlet, iago] = await Promise.all([signIn(former, 'hamlet'), signIn(former, 'iago')]);
  await storeSecrets(former, { hamlet, iago });
});
afterAll(() => cluster.stop());

const query = async (sql: string, values: unknown[] = []): Promise<Json[]> =>
  (await chat.runtime.database.query<Json>(sql, values)).rows;

const onProcess = (user: DemoUser, process: ChatProcess) =>
  process.client.withHeaders(createBasicAuthorization(user.email, user.apiKey));

/** Lists the database columns that contain encrypted texts, as `table.column`. */
async function listColumnsWithSealedTexts(): Promise<string[]> {
  const columns = await query(
    `SELECT table_schema AS schema, table_name AS name, column_name AS column FROM information_schema.columns
      JOIN information_schema.tables USING (table_schema, table_name)
      WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema', 'as_prepared')
        AND data_type IN ('text', 'character varying', 'json', 'jsonb', 'ARRAY') ORDER BY 1, 2, 3`,
  );
  const found: string[] = [];
  for (const { schema, name, column } of columns) {
    const rows = await query(
      `SELECT FROM "${schema}"."${name}" t WHERE t."${column}"::text ~ 'v1\\.[A-Za-z0-9_-]{1,64}\\.[A-Za-z0-9_-]{16}\\.' LIMIT 1`,
    );
    if (rows.length > 0) found.push(`${schema === 'public' ? '' : `${schema}.`}${name}.${column}`);
  }
  return found.toSorted();
}

describe('list of columns with secrets', () => {
  it('contains all columns whose names indicate encryption or a pepper', async () => {
    const named = await query(
      `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
        WHERE table_schema NOT IN ('pg_catalog', 'information_schema', 'as_prepared')
          AND (column_name LIKE '%sealed%' OR column_name LIKE '%secret%' OR column_name LIKE '%pepper%')`,
    );
    const listed = [
      ...chatSecretColumns.sealed.flatMap(({ table, column, digest }) => [
        `${table}.${column}`,
        `${table}.${digest?.pepperIdColumn}`,
      ]),
      ...chatSecretColumns.digests.map(({ table, pepperIdColumn }) => `${table}.${pepperIdColumn}`),
    ].map((name) => name.replace(/^webhooks\./, ''));
    expect(named.map(({ name }) => name).filter((name) => !listed.includes(String(name)))).toEqual([]);
  });

  it('contains all columns in which encrypted texts are found', async () => {
    const listed = chatSecretColumns.sealed.map(({ table, column }) => `${table}.${column}`);
    expect(await listColumnsWithSealedTexts()).toEqual([...listed].toSorted());
  });
});

describe('admin command `secrets`', () => {
  it('counts encrypted texts by key, and digests by pepper', async () => {
    const { state, texts, digests, outdatedTexts } = await command.status();
    expect(state).toBe('outdated');
    expect(new Set(texts.map(({ keyId }) => keyId))).toEqual(new Set(['dev']));
    expect(texts.filter(({ count }) => count < 1)).toEqual([]);
    expect(texts.map(({ column }) => column).toSorted()).toEqual(
      chatSecretColumns.sealed.map(({ table, column }) => `${table}.${column}`).toSorted(),
    );
    expect(texts).toContainEqual({ column: 'webhooks.endpoints.former_secrets', keyId: 'dev', count: 2 });
    expect(outdatedTexts).toBe(texts.reduce((sum, { count }) => sum + count, 0));
    const users = texts.find(({ column }) => column === 'users.api_key_sealed');
    expect(digests).toContainEqual(
      expect.objectContaining({ column: 'users.api_key_digest', pepperId: 1, count: users?.count }),
    );
    const { lines } = await command.run('status');
    expect(lines.join('\n')).toContain(`users.api_key_sealed: ${users?.count} under dev`);
    expect((await command.run('status')).code).toBe(3);
  });

  it('encrypts all secrets again with the first configured key, and changes nothing when repeated', async () => {
    const before = await query('SELECT id, updated FROM webhooks.endpoints');
    const scoped = await hamlet.client.post<{ api_key: string }>('/api/v1/users/me/api_keys', {
      form: { name: 'laptop', scopes: '["read"]' },
    });
    const { code, lines } = await command.run('rewrap');
    expect([code, lines.filter((line) => line.includes('cannot be decrypted'))]).toEqual([0, []]);
    expect(lines).toContain('Encryption key "dev" is not in use any more and can be removed from the configuration.');
    const { state, texts, inUse, currentPepperSince } = await command.status();
    expect(new Set(texts.map(({ keyId }) => keyId))).toEqual(new Set(['k2']));
    // The digest of the key with scopes cannot be computed again.
    expect(state).toBe('outdated');
    expect(inUse.map(({ kind, id }) => `${kind} ${id}`)).toEqual(['key k2', 'pepper 1', 'pepper 2']);
    const remains = `api_keys.digest: 1 digests under pepper 1 remain since ${currentPepperSince}.`;
    expect(lines.filter((line) => line.startsWith(remains))).toHaveLength(1);
    expect(await query('SELECT id, updated FROM webhooks.endpoints')).toEqual(before);
    const stored = await query('SELECT xmin::text, id FROM users ORDER BY id');
    expect((await command.run('rewrap')).code).toBe(0);
    expect(await query('SELECT xmin::text, id FROM users ORDER BY id')).toEqual(stored);

    const key = { email: hamlet.email, apiKey: scoped.body.api_key };
    const client = chat.client.withHeaders(createBasicAuthorization(key.email, key.apiKey));
    expect((await client.get('/api/v1/users/me')).status).toBe(200);
    expect(await query("SELECT pepper_id FROM api_keys WHERE name = 'laptop'")).toEqual([{ pepper_id: 2 }]);
    expect((await client.get('/api/v1/users/me')).status).toBe(200);
    expect((await command.run('rewrap')).lines).toContain(
      'Pepper "1" is not in use any more and can be removed from the configuration.',
    );
    expect((await command.status()).state).toBe('current');
  });

  it('leaves all secrets readable when only the new key is configured', async () => {
    const alone = await cluster.start({
      ROLE: 'api',
      SECRET_ENCRYPTION_KEYS: env.SECRET_ENCRYPTION_KEYS.split(',')[0] ?? '',
      SECRET_PEPPERS: env.SECRET_PEPPERS.split(',')[1] ?? '',
    });
    const client = onProcess(hamlet, alone);
    const { body } = await client.get<{ bots: { api_key: string; services: { token?: string }[] }[] }>('/api/v1/bots');
    expect(body.bots.length).toBeGreaterThan(1);
    for (const bot of body.bots) expect(bot.api_key).toMatch(/^[A-Za-z0-9]{32}$/);
    const { secrets } = alone.runtime;
    const [mail] = await query('SELECT text_sealed AS text FROM outgoing_mails WHERE id = -1');
    expect(secrets.open(String(mail?.['text']), createStoredMailEncryptionPurpose('-1'))).toBe('text of a mail');
    const [row] = await query("SELECT payload FROM queue.outbox WHERE topic = 'chat.mail'");
    const payload = row?.['payload'] as { subject: string; sealed: string };
    expect(payload.subject).toBe('"sealed":"v1.dev.x"');
    expect(secrets.open(payload.sealed, createEnqueuedMailEncryptionPurpose('a@b.test'))).toBe('waiting mail');
    const [endpoint] = await query('SELECT id, former_secrets AS former FROM webhooks.endpoints');
    const replaced = endpoint?.['former'] as { secret: string; expires: number }[];
    const purpose = endpointSecretPurpose(String(endpoint?.['id']));
    expect(replaced.map(({ secret, expires }) => [secrets.open(secret, purpose), expires])).toEqual([
      ['second', 1e15],
      ['first', 1e15],
    ]);
  });
});

describe('admin command `secrets rewrap` beside the service', () => {
  const later = {
    SECRET_ENCRYPTION_KEYS: `${createEncryptionKeyEntry('k3')},${env.SECRET_ENCRYPTION_KEYS}`,
    SECRET_PEPPERS: `${env.SECRET_PEPPERS},${newPepper(3)}`,
  };
  const last = {
    SECRET_ENCRYPTION_KEYS: `${createEncryptionKeyEntry('k4')},${later.SECRET_ENCRYPTION_KEYS}`,
    SECRET_PEPPERS: `${later.SECRET_PEPPERS},${newPepper(4)}`,
  };
  let process: ChatProcess;
  let next: SecretsCommand;
  beforeAll(async () => {
    process = await cluster.start({ ROLE: 'api', ...later });
    next = new SecretsCommand(process.runtime.database, later);
  });

  it('loses no concurrent change of a secret', async () => {
    const { body } = await onProcess(hamlet, process).get<{ bots: { user_id: number }[] }>('/api/v1/bots');
    const id = body.bots[0]?.user_id ?? 0;
    const client = onProcess(hamlet, process);
    const change = async (): Promise<string> => {
      const { body: made } = await client.post<{ api_key: string }>(`/api/v1/bots/${id}/api_key/regenerate`);
      return made.api_key;
    };
    let isRunning = true;
    const changing = (async () => {
      let last = await change();
      while (isRunning) last = await change();
      return last;
    })();
    const { code } = await next.run('rewrap');
    isRunning = false;
    const last = await changing;
    expect(code).toBe(0);
    const { body: shown } = await client.get<{ api_key: string }>(`/api/v1/bots/${id}/api_key`);
    expect(shown.api_key).toBe(last);
  });

  it('waits for a row that another transaction changes, and encrypts the new secret', async () => {
    const { database, apiKeys } = chat.runtime;
    const made = apiKeys.create(iago.id);
    let rewrapping: Promise<unknown> | undefined;
    await query('UPDATE users SET api_key_sealed = $2 WHERE id = $1', [
      iago.id,
      chat.runtime.secrets.seal(iago.apiKey, `chat:user:${iago.id}:api_key`),
    ]);
    await database.inTransaction(async (tx) => {
      await tx.query(
        'UPDATE users SET api_key_sealed = $2, api_key_digest = $3, api_key_pepper_id = $4 WHERE id = $1',
        [iago.id, made.sealed, made.digest, made.pepperId],
      );
      rewrapping = next.run('rewrap');
      const waits = async (): Promise<number> => {
        const { rows } = await tx.query(
          "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        );
        return rows.length;
      };
      await expect.poll(waits, { timeout: 20_000 }).toBeGreaterThan(0);
    });
    await rewrapping;
    const [row] = await query('SELECT api_key_sealed AS sealed FROM users WHERE id = $1', [iago.id]);
    expect(String(row?.['sealed'])).toMatch(/^v1\.k3\./);
    expect(process.runtime.apiKeys.decryptStoredApiKey(iago.id, String(row?.['sealed']))).toBe(
      apiKeys.decryptStoredApiKey(iago.id, made.sealed),
    );
  });

  it('completes when the command is repeated after an interruption', async () => {
    const third = new SecretsCommand(chat.runtime.database, { ...last, SECRET_PEPPERS: later.SECRET_PEPPERS });
    const stop = (): void => {
      throw new Error('interrupted');
    };
    await expect(third.run('rewrap', {}, stop)).rejects.toThrow('interrupted');
    const interrupted = await third.status();
    expect(new Set(interrupted.texts.map(({ keyId }) => keyId))).toEqual(new Set(['k3', 'k4']));
    expect((await third.run('rewrap')).code).toBe(0);
    expect(new Set((await third.status()).texts.map(({ keyId }) => keyId))).toEqual(new Set(['k4']));
  });

  it('accepts credentials that a process cached under the previous pepper', async () => {
    const cached = await cluster.start({ ROLE: 'api', ...last, SECRET_PEPPER_CURRENT: '3' });
    const client = onProcess(hamlet, cached);
    expect((await client.get('/api/v1/users/me')).status).toBe(200);
    expect((await new SecretsCommand(cached.runtime.database, last).run('rewrap')).code).toBe(0);
    const [row] = await query('SELECT api_key_pepper_id AS id FROM users WHERE id = $1', [hamlet.id]);
    expect(row).toEqual({ id: 4 });
    const made = await client.post('/api/v1/users/me/api_keys', { form: { name: 'x', scopes: '["read"]' } });
    expect(made.status).toBe(200);
  });

  it('preserves a video call token that is refreshed while the command encrypts the previous token again', async () => {
    const keyed = await cluster.start({ ROLE: 'api', ...last });
    const { database, secrets, clock } = keyed.runtime;
    const tokens = new VideoCallTokenStore(database, secrets, clock, keyed.app.get(ChatEventWriter, { strict: false }));
    const actor = { id: hamlet.id, kind: 'user', realm: '1', realmId: 1, role: 400 } as Parameters<
      typeof tokens.findToken
    >[0];
    await query("UPDATE video_call_tokens SET token_sealed = $2 WHERE user_id = $1 AND provider = 'zoom'", [
      hamlet.id,
      secrets.seal(JSON.stringify(zoomToken), `chat:user:${hamlet.id}:zoom_token`),
    ]);
    const old = await tokens.findToken(actor, 'zoom');
    await query("UPDATE video_call_tokens SET token_sealed = $2 WHERE user_id = $1 AND provider = 'zoom'", [
      hamlet.id,
      secrets.seal(JSON.stringify(zoomToken), `chat:user:${hamlet.id}:zoom_token`),
    ]);
    const grant = { accessToken: 'newer', refreshToken: 'next', expiresInSeconds: 60 };
    await tokens.replaceRefreshedToken(actor, 'zoom', old!, grant);
    expect(await tokens.findToken(actor, 'zoom')).toMatchObject({ accessToken: 'newer', refreshToken: 'next' });
  });
});
