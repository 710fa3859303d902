import type { InProcessApiClient } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decryptParameters } from '../src/data-sources/decrypt-parameters.js';
import { encryptStoredDataSourceSecrets } from '../src/data-sources/index.js';
import { syncRunnerOf } from './support/data-sources.js';
import { startInventory, type TestInventory } from './support/test-service.js';

interface Source {
  readonly id: number;
  readonly parameters: Readonly<Record<string, unknown>> | null;
}

const log: string[] = [];
const path = '/api/core/data-sources/';
const masked = '********';
let test: TestInventory;
let api: InProcessApiClient;
let count = 0;

beforeAll(async () => {
  test = await startInventory({}, log);
  api = test.api;
});
afterAll(() => test.close());

async function newSource(parameters: unknown): Promise<Source> {
  count += 1;
  const json = { name: `Source ${count}`, type: 'git', source_url: 'https://git.example/one.git', parameters };
  const { status, body } = await api.post<Source>(path, { json });
  expect(status).toBe(201);
  return body;
}

/** Returns the decrypted secrets of a data source, as the synchronization of the data source reads them. */
async function secretsOf(id: number): Promise<Record<string, string | undefined>> {
  await api.post(`${path}${id}/sync/`);
  const job = await syncRunnerOf(test).claimNextJob();
  if (job === null) throw new Error('no job');
  await test.inventory.database.query('DELETE FROM core_job WHERE object_id = $1', [id]);
  const opened = decryptParameters(job.source, test.inventory.keys.box);
  return { password: opened.get('password'), aws_secret_access_key: opened.get('aws_secret_access_key') };
}

const patch = (id: number, json: object) => api.patch<Source>(`${path}${id}/`, { json });

describe('secret parameters of /api/core/data-sources/', () => {
  it('show asterisks in place of encrypted secrets, also in change records', async () => {
    const made = await newSource({ branch: 'main', password: 'pass-9f', aws_secret_access_key: 'key-7c' });
    expect(made.parameters).toEqual({ branch: 'main', password: masked, aws_secret_access_key: masked });
    expect(await secretsOf(made.id)).toEqual({ password: 'pass-9f', aws_secret_access_key: 'key-7c' });
    await patch(made.id, { parameters: { password: 'pass-8e' } });
    expect(await secretsOf(made.id)).toEqual({ password: 'pass-8e', aws_secret_access_key: 'key-7c' });
    const { rows } = await test.inventory.database.query<{ text: string }>(
      `SELECT row_to_json(s)::text AS text FROM core_datasource s UNION ALL
        SELECT row_to_json(c)::text FROM core_objectchange c UNION ALL SELECT row_to_json(o)::text FROM queue.outbox o`,
    );
    const everything = [...rows.map(({ text }) => text), ...log].join('\n');
    for (const secret of ['pass-9f', 'key-7c', 'pass-8e']) expect(everything).not.toContain(secret);
    const changes = await api.get<{ results: unknown[] }>(
      `/api/core/object-changes/?changed_object_type=core.datasource&changed_object_id=${made.id}`,
    );
    expect(changes.body.results).toHaveLength(2);
  });

  it.each([
    ['without them', { branch: 'other' }, { branch: 'other', password: masked }, 'one'],
    ['with asterisks', { password: masked }, { password: masked }, 'one'],
    ['with a new value', { password: 'two' }, { password: masked }, 'two'],
    ['with a number', { password: 22 }, { password: masked }, '22'],
    ['with null', { password: null }, { password: null }, undefined],
    ['with an empty string', { password: '' }, { password: '' }, undefined],
    ['without parameters', null, null, undefined],
    ['with a list as parameters', [1], [1], undefined],
  ])('have the expected value after an update of the parameters %s', async (_case, parameters, shown, secret) => {
    const { id } = await newSource({ password: 'one' });
    const { body } = await patch(id, { parameters });
    expect(body.parameters).toEqual(shown);
    expect((await secretsOf(id)).password ?? '').toBe(secret ?? '');
  });

  it('remain empty when a new data source contains asterisks', async () => {
    const { id, parameters } = await newSource({ password: masked });
    expect(parameters).toEqual({});
    expect((await secretsOf(id)).password).toBeUndefined();
  });

  it('must be sent again when a changed URL names another server', async () => {
    const { id } = await newSource({ password: 'one' });
    const moved = { source_url: 'https://other.example/one.git' };
    const text = 'Enter password again, or null: the value was given for another server.';
    const other = await newSource({ password: 'one' });
    await patch(other.id, { source_url: 'ssh://good.example/one.git', parameters: { password: 'one' } });
    expect((await patch(other.id, { source_url: 'ssh://evil.example/one.git' })).status).toBe(400);
    expect(await patch(id, moved)).toMatchObject({ status: 400, body: { parameters: [text] } });
    const kept = { ...moved, parameters: { password: masked } };
    expect((await patch(id, kept)).status).toBe(400);
    expect((await patch(id, { source_url: 'https://git.example/two.git' })).status).toBe(200);
    expect((await patch(id, { ...moved, parameters: { password: 'two' } })).status).toBe(200);
    expect((await secretsOf(id)).password).toBe('two');
  });
});

describe('encryptStoredDataSourceSecrets', () => {
  it('encrypts secrets that an older version stored in clear, only once', async () => {
    const { id } = await newSource({ password: 'one' });
    const { database } = test.inventory;
    await database.query(
      `UPDATE core_datasource SET parameters = '{"aws_secret_access_key": "key", "password": "********"}' WHERE id = $1`,
      [id],
    );
    await encryptStoredDataSourceSecrets(test.inventory);
    await encryptStoredDataSourceSecrets(test.inventory);
    const { body } = await api.get<Source>(`${path}${id}/`);
    expect(body.parameters).toEqual({ aws_secret_access_key: masked, password: masked });
    expect(await secretsOf(id)).toEqual({ password: 'one', aws_secret_access_key: 'key' });
    expect(log.filter((line) => line.includes('encrypted secret parameters'))).toHaveLength(1);
  });
});
