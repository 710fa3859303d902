import { createLogger, systemClock } from '@switchboard/platform';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decryptParameters } from '../src/data-sources/decrypt-parameters.js';
import { encryptStoredDataSourceSecrets, SecretMasking } from '../src/data-sources/index.js';
import { maskStoredSecrets } from '../src/data-sources/mask-stored-secrets.js';
import { syncRunnerOf } from './support/data-sources.js';
import { startInventory, type TestInventory } from './support/test-service.js';
import { runInOpenTransaction } from './support/hold-row-locks.js';

const path = '/api/core/data-sources/';
const masked = '********';
const secret = 'sesame/open "1"';
const { signal } = new AbortController();
let test: TestInventory;
let id: number;

beforeAll(async () => {
  test = await startInventory();
  const json = { name: 'Old', type: 'git', source_url: 'https://git.example/one.git', parameters: { branch: 'main' } };
  id = (await test.api.post<{ id: number }>(path, { json })).body.id;
});
afterAll(() => test.close());

const query = (text: string, values: readonly unknown[] = []) =>
  test.inventory.database.query<Record<string, unknown>>(text, [...values]);

/** Parameters of a data source with an unencrypted secret, as an older version of the service stored them. */
const clear = { branch: 'main', password: secret };

/**
 * Stores rows as an older version of the service wrote them: a change record, an outbox row, and a webhook delivery
 * with two attempts.
 */
async function storeOldRows(status = 'failed', nextAttempt: string | null = null): Promise<string> {
  const snapshots = { prechange: null, postchange: { parameters: clear } };
  await query(
    `INSERT INTO core_objectchange (user_name, request_id, action, changed_object_type, changed_object_id, object_repr, postchange_data)
      VALUES ('root', gen_random_uuid(), 'update', 'core.datasource', $1, 'Old', $2), ('root', gen_random_uuid(), 'update', 'core.datasource', $1, 'Old', '{"parameters": [1]}')`,
    [id, snapshots.postchange],
  );
  await query(
    `INSERT INTO queue.outbox (topic, key, version, payload, set_aside_at) VALUES ('inventory.changes', $1, 2, $2, now())`,
    [`core.datasource:${id}`, JSON.stringify({ model: 'core.datasource', data: { parameters: clear }, snapshots })],
  );
  const payload = { event: 'updated', data: { id, parameters: clear }, snapshots };
  const { rows } = await query(
    `INSERT INTO webhook_deliveries (action_type, event, object_type, object_id, status, attempts, next_attempt_at, payload, error)
      VALUES ('webhook', 'updated', 'core.datasource', $1, $2, 1, $3, $4, 'refused by https://example.com/?p=${encodeURIComponent(secret)}')
      RETURNING sequence`,
    [id, status, nextAttempt, JSON.stringify(payload)],
  );
  const sequence = String(rows[0]?.['sequence']);
  await query(
    `INSERT INTO webhook_delivery_attempts (delivery_sequence, number, started, duration_ms, request_url, request_body, response_headers, response_body)
      VALUES ($1, 1, now(), 1, $2, $3, $4, 'thanks'), ($1, 2, now(), 1, 'https://example.com/', NULL, '{"a": "b"}', NULL)`,
    [
      sequence,
      `https://example.com/?p=${encodeURIComponent(secret)}`,
      `password ${secret}`,
      JSON.stringify({ echo: encodeURIComponent(secret) }),
    ],
  );
  return sequence;
}

/** Returns the database rows that contain the test secret, in plain text or in another form. */
async function rowsWithSecret(): Promise<readonly unknown[]> {
  const tables = ['core_objectchange', 'queue.outbox', 'webhook_deliveries', 'webhook_delivery_attempts'];
  const texts = tables.map((table) => `SELECT '${table}' AS name, row_to_json(t)::text AS text FROM ${table} t`);
  const { rows } = await query(texts.join(' UNION ALL '));
  return rows.filter(({ text }) => String(text).includes('sesame')).map(({ name }) => name);
}

describe('maskStoredSecrets', () => {
  it('masks secrets in all tables and changes nothing when repeated', async () => {
    const sequence = await storeOldRows();
    expect(await maskStoredSecrets(test.inventory.database, signal)).toEqual({
      records: 1,
      messages: 1,
      deliveries: 1,
    });
    expect(await rowsWithSecret()).toEqual([]);
    const { rows } = await query('SELECT payload FROM webhook_deliveries WHERE sequence = $1', [sequence]);
    expect(rows[0]?.['payload']).toEqual({
      event: 'updated',
      data: { id, parameters: { branch: 'main', password: masked } },
      snapshots: { prechange: null, postchange: { parameters: { branch: 'main', password: masked } } },
    });
    const attempts = await query(
      'SELECT request_url, request_body, response_headers FROM webhook_delivery_attempts WHERE delivery_sequence = $1 ORDER BY number',
      [sequence],
    );
    expect(attempts.rows).toEqual([
      { request_url: masked, request_body: masked, response_headers: {} },
      { request_url: 'https://example.com/', request_body: null, response_headers: { a: 'b' } },
    ]);
    expect(await maskStoredSecrets(test.inventory.database, signal)).toEqual({
      records: 0,
      messages: 0,
      deliveries: 0,
    });
  });

  it('skips a delivery while the delivery is being sent, and masks its secrets in the next run', async () => {
    const sequence = await storeOldRows('queued', '2099-01-01');
    expect(await maskStoredSecrets(test.inventory.database, signal)).toMatchObject({ deliveries: 0 });
    await query("UPDATE webhook_deliveries SET status = 'failed', next_attempt_at = NULL WHERE sequence = $1", [
      sequence,
    ]);
    expect(await maskStoredSecrets(test.inventory.database, signal)).toMatchObject({ deliveries: 1 });
    expect(await rowsWithSecret()).toEqual([]);
  });

  it('does not wait for locked rows', async () => {
    const sequence = await storeOldRows();
    const { database } = test.inventory;
    const lock = 'SELECT FROM webhook_deliveries WHERE sequence = $1 FOR UPDATE';
    const open = await runInOpenTransaction(database, (tx) => tx.query(lock, [sequence]));
    expect(await maskStoredSecrets(database, signal)).toMatchObject({ deliveries: 0 });
    await open.release();
    await maskStoredSecrets(database, signal);
    expect(await rowsWithSecret()).toEqual([]);
  });
});

describe('SecretMasking', () => {
  it('encrypts secret parameters of data sources, and masks the same secrets in other rows', async () => {
    await storeOldRows();
    await query('UPDATE core_datasource SET parameters = $2 WHERE id = $1', [id, clear]);
    const masking = new SecretMasking({
      ...test.inventory,
      clock: systemClock,
      logger: createLogger({ level: 'silent', name: 'inventory' }),
    });
    await masking.encryptAndMaskStoredSecrets();
    expect(await rowsWithSecret()).toEqual([]);
    const { rows } = await query('SELECT parameters FROM core_datasource WHERE id = $1', [id]);
    expect(rows[0]?.['parameters']).toEqual({ branch: 'main', password: masked });
  });
});

describe('secret parameters that a process of an older version has stored in clear', () => {
  const storeClear = () => query('UPDATE core_datasource SET parameters = $2 WHERE id = $1', [id, clear]);

  async function passwordOf(): Promise<string | undefined> {
    await test.api.post(`${path}${id}/sync/`);
    const job = await syncRunnerOf(test).claimNextJob();
    if (job === null) throw new Error('no job');
    await query('DELETE FROM core_job');
    return decryptParameters(job.source, test.inventory.keys.box).get('password');
  }

  it('appear as asterisks in responses and change records', async () => {
    await storeClear();
    const shown = { branch: 'main', password: masked };
    expect((await test.api.get(`${path}${id}/`)).body).toMatchObject({ parameters: shown });
    expect((await test.api.get(`${path}?id=${id}`)).body).toMatchObject({ results: [{ parameters: shown }] });
    await test.api.patch(`${path}${id}/`, { json: { description: 'changed' } });
    expect(await rowsWithSecret()).toEqual([]);
    expect(await passwordOf()).toBe(secret);
  });

  it('remain stored after an update with asterisks', async () => {
    await storeClear();
    await test.api.patch(`${path}${id}/`, { json: { parameters: { branch: 'other', password: masked } } });
    expect(await passwordOf()).toBe(secret);
    const { rows } = await query('SELECT parameters FROM core_datasource WHERE id = $1', [id]);
    expect(rows[0]?.['parameters']).toEqual({ branch: 'other', password: masked });
  });

  it('take precedence over an older encrypted secret', async () => {
    await encryptStoredDataSourceSecrets(test.inventory);
    await query('UPDATE core_datasource SET parameters = $2 WHERE id = $1', [id, { password: 'newer' }]);
    expect(await passwordOf()).toBe('newer');
  });
});
