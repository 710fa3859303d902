import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InProcessApiClient } from '@switchboard/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openWebhookDelivery } from '../src/webhooks/index.js';
import { syncRunnerOf } from './support/data-sources.js';
import { startInventory, type TestInventory } from './support/test-service.js';
import { permittedUser } from './support/permitted-user.js';

interface Source {
  readonly id: number;
  readonly status: { readonly value: string };
}

interface Job {
  readonly status: { readonly value: string };
  readonly error: string;
  readonly log_entries: readonly { readonly level: string; readonly message: string }[];
}

/** A data source, its newest job, and the paths of its stored files. */
interface State {
  readonly source: Source;
  readonly job: Job;
  readonly paths: readonly string[];
}

const root = mkdtempSync(join(tmpdir(), 'sources-'));
let test: TestInventory;
let api: InProcessApiClient;
let folder = '';
let count = 0;

beforeAll(async () => {
  test = await startInventory({
    DATA_SOURCE_FOLDERS: `${root}/served`,
    DATA_SOURCE_MAX_FILES: '5',
    DATA_SOURCE_MAX_FILE_BYTES: '100',
    DATA_SOURCE_MAX_BYTES: '200',
  });
  api = test.api;
  mkdirSync(join(root, 'other'));
  writeFileSync(join(root, 'other', 'secret.txt'), 'secret');
});
afterAll(async () => {
  await test.close();
  rmSync(root, { recursive: true });
});
beforeEach(() => {
  count += 1;
  folder = join(root, 'served', `folder-${count}`);
  mkdirSync(folder, { recursive: true });
});

const put = (path: string, text: string): void => writeFileSync(join(folder, path), text);

async function newSource(url = folder): Promise<number> {
  const json = { name: `Source ${count}`, type: 'local', source_url: url };
  return (await api.post<Source>('/api/core/data-sources/', { json })).body.id;
}

async function enqueue(id: number): Promise<void> {
  expect((await api.post(`/api/core/data-sources/${id}/sync/`)).status).toBe(200);
}

async function sync(id: number): Promise<State> {
  await enqueue(id);
  await syncRunnerOf(test).scheduleAndRunDueJobs();
  return stateOf(id);
}

async function stateOf(id: number): Promise<State> {
  const source = await api.get<Source>(`/api/core/data-sources/${id}/`);
  const jobs = await api.get<{ results: Job[] }>(`/api/core/jobs/?object_id=${id}&ordering=-id&limit=1`);
  const files = await api.get<{ results: { path: string }[] }>(`/api/core/data-files/?source_id=${id}`);
  const [job] = jobs.body.results;
  if (job === undefined) throw new Error('no job');
  return { source: source.body, job, paths: files.body.results.map(({ path }) => path).toSorted() };
}

/**
 * Makes the lease of a data source's running job expire. The state is the same as if the job's process had died a
 * minute ago.
 */
async function endLease(id: number): Promise<void> {
  await test.inventory.database.query(
    "UPDATE core_job SET lease_until = now() - interval '1 s' WHERE object_id = $1 AND status = 'running'",
    [id],
  );
}

describe('POST /api/core/data-sources/{id}/sync/', () => {
  it('retains the stored files when the folder cannot be read', async () => {
    put('one.txt', '1');
    const id = await newSource();
    expect((await sync(id)).paths).toEqual(['one.txt']);
    rmSync(folder, { recursive: true });
    const { source, job, paths } = await sync(id);
    expect(paths).toEqual(['one.txt']);
    expect([source.status.value, job.status.value]).toEqual(['failed', 'errored']);
    expect(job.error).toContain('cannot be read: ENOENT');
    expect(job.log_entries.at(-1)).toMatchObject({ level: 'error', message: job.error });
  });

  it.each([
    ['too many files', () => [...'123456'].forEach((name) => put(name, name)), /more than 5 files/],
    ['a file that is too large', () => put('large', 'x'.repeat(101)), /large has more than 100 bytes/],
    ['too many bytes', () => [...'123'].forEach((name) => put(name, 'x'.repeat(90))), /more than 200 bytes/],
    ['a link that leads out', () => symlinkSync(join(root, 'other', 'secret.txt'), join(folder, 'a')), /leads out/],
    ['too many folders', () => [...'123456'].forEach((name) => mkdirSync(join(folder, name))), /more than 5 folders/],
    ['a link to a folder elsewhere', () => symlinkSync(join(root, 'other'), join(folder, 'a')), /leads out/],
  ])('rejects %s', async (_case, prepare, message) => {
    prepare();
    const { job, paths } = await sync(await newSource());
    expect(job.error).toMatch(message);
    expect(paths).toEqual([]);
  });

  it.each([
    ['outside the allowed folders', () => join(root, 'other')],
    ['that leaves an allowed folder', () => `${folder}/../../other`],
    ['whose name begins like an allowed folder', () => `${join(root, 'served')}-not`],
    ['that is a link out of the allowed folders', () => join(folder, 'out')],
  ])('rejects a folder %s', async (_case, url) => {
    symlinkSync(join(root, 'other'), join(folder, 'out'));
    const { job } = await sync(await newSource(url()));
    expect(job.error).toContain('is not below a folder of the setting DATA_SOURCE_FOLDERS');
  });

  it.each([['*\n'.repeat(101)], ['a'.repeat(10_001)]])('rejects too many ignore rules', async (rules) => {
    const json = { name: 'Rules', type: 'local', source_url: folder, ignore_rules: rules };
    const { status, body } = await api.post<{ ignore_rules: string[] }>('/api/core/data-sources/', { json });
    expect([status, body.ignore_rules]).toEqual([400, ['Ensure these are at most 100 lines with 10000 characters.']]);
  });

  it('applies stored ignore rules above the current limit, and accepts changes of other fields', async () => {
    const id = await newSource();
    const rules = `*.skip\n${'x\n'.repeat(10_000)}`;
    await test.inventory.database.query('UPDATE core_datasource SET ignore_rules = $2 WHERE id = $1', [id, rules]);
    const path = `/api/core/data-sources/${id}/`;
    expect((await api.patch(path, { json: { description: 'old' } })).status).toBe(200);
    expect((await api.patch(path, { json: { ignore_rules: `${rules}y` } })).status).toBe(400);
    put('one.skip', '1');
    put('two.txt', '2');
    expect((await sync(id)).paths).toEqual(['two.txt']);
  });

  it('reads symbolic links to files in the folder', async () => {
    put('one.txt', '1');
    symlinkSync('one.txt', join(folder, 'same.txt'));
    expect((await sync(await newSource())).paths).toEqual(['one.txt', 'same.txt']);
  });

  it('notifies the requesting user when the job has ended', async () => {
    const id = await newSource();
    await sync(id);
    rmSync(folder, { recursive: true });
    await sync(id);
    const jobs = await api.get<{ results: { id: number }[] }>(`/api/core/jobs/?object_id=${id}&ordering=id`);
    const { body } = await api.get<{ results: { object_id: number; object_type: string }[] }>(
      '/api/extras/notifications/?limit=2',
    );
    const expected = jobs.body.results.map((job, index) => ({
      object_type: 'core.job',
      object_id: job.id,
      object: { url: `http://localhost/api/core/jobs/${job.id}/` },
      display: 'Synchronization',
      event_type: ['job_completed', 'job_errored'][index],
      user: { id: test.adminId },
      read: null,
    }));
    expect(body.results.toSorted((one, other) => one.object_id - other.object_id)).toMatchObject(expected);
    const json = { object_type: 'core.job', object_id: 1, user: test.adminId, event_type: 'job_failed' };
    expect((await api.post('/api/extras/notifications/', { json })).status).toBe(400);
  });

  it('deletes the jobs of a data source together with the data source', async () => {
    const id = await newSource();
    await enqueue(id);
    expect((await api.delete(`/api/core/data-sources/${id}/`)).status).toBe(204);
    const { body } = await api.get<{ count: number }>(`/api/core/jobs/?object_id=${id}`);
    expect(body.count).toBe(0);
  });
});

describe('objects that copy data files', () => {
  const templates = '/api/extras/config-templates/';

  async function fileOf(source: number, path: string): Promise<number> {
    const { body } = await api.get<{ results: { id: number }[] }>(
      `/api/core/data-files/?source_id=${source}&path=${path}`,
    );
    return body.results[0]?.id ?? 0;
  }

  it('contain the content of the data file immediately after the request', async () => {
    put('one.j2', 'from the file');
    const id = await newSource();
    await sync(id);
    const json = { name: `Template ${count}`, template_code: 'x', data_file: await fileOf(id, 'one.j2') };
    const { body } = await api.post<Record<string, unknown>>(templates, { json });
    expect(body).toMatchObject({ template_code: 'from the file', data_path: 'one.j2', data_source: { id } });
  });

  it('record a change when the data file changes or is removed', async () => {
    put('one.j2', 'first');
    const id = await newSource();
    await sync(id);
    const json = {
      name: `Template ${count}`,
      template_code: 'x',
      auto_sync_enabled: true,
      data_file: await fileOf(id, 'one.j2'),
    };
    const template = (await api.post<{ id: number }>(templates, { json })).body.id;
    put('one.j2', 'second');
    await sync(id);
    rmSync(join(folder, 'one.j2'));
    await sync(id);
    const { body } = await api.get<Record<string, unknown>>(`${templates}${template}/`);
    expect(body).toMatchObject({ template_code: 'second', data_file: null });
    const changes = await api.get<{ results: { user_name: string; postchange_data: { template_code: string } }[] }>(
      `/api/core/object-changes/?changed_object_type=extras.configtemplate&changed_object_id=${template}&ordering=id`,
    );
    expect(changes.body.results.map((one) => [one.user_name, one.postchange_data.template_code])).toEqual([
      ['root', 'first'],
      ['root', 'second'],
      ['root', 'second'],
    ]);
  });

  it.each([
    ['is neither JSON nor YAML', 'a: [1'],
    ['is no object', '- 1'],
  ])('make the synchronization fail and change no data file when a copied data file %s', async (_case, text) => {
    put('one.yaml', 'level: 1');
    const id = await newSource();
    await sync(id);
    const json = { name: `Context ${count}`, data: { a: 1 }, data_file: await fileOf(id, 'one.yaml') };
    const context = await api.post<{ id: number; data: unknown }>('/api/extras/config-contexts/', { json });
    expect(context.body.data).toEqual({ level: 1 });
    // The API of the reference cannot set the flag of a config context.
    await test.inventory.database.query('UPDATE extras_configcontext SET auto_sync_enabled = true WHERE id = $1', [
      context.body.id,
    ]);
    put('one.yaml', text);
    put('two.yaml', '2');
    const { job, paths, source } = await sync(id);
    expect([job.status.value, source.status.value, paths]).toEqual(['errored', 'failed', ['one.yaml']]);
    expect(job.error).toContain('one.yaml');
    put('one.yaml', 'level: 2');
    expect((await sync(id)).job.status.value).toBe('completed');
    const { body } = await api.get<{ data: unknown }>(`/api/extras/config-contexts/${context.body.id}/`);
    expect(body.data).toEqual({ level: 2 });
  });

  it.each([
    ['with null characters', '{"a": "\\u0000"}', /characters that cannot be stored/],
    ['with surrogates', '{"a": "\\ud800"}', /characters that cannot be stored/],
    ['of many YAML aliases', `a: &a "${'x'.repeat(200_000)}"\nb: [${'*a, '.repeat(99)}]`, /1048576 characters/],
    ['with a YAML alias of itself', 'a: &a\n  b: *a', /circular/],
    ['of many levels', `{"a": ${'['.repeat(5000)}${']'.repeat(5000)}}`, /100 levels/],
  ])('reject a data file %s', async (_case, text, reason) => {
    put('one.json', '{}');
    const id = await newSource();
    await sync(id);
    const file = await fileOf(id, 'one.json');
    await test.inventory.database.query("UPDATE core_datafile SET data = convert_to($2, 'UTF8') WHERE id = $1", [
      file,
      text,
    ]);
    const json = { name: `Context ${count}`, data: {}, data_file: file };
    const { status, body } = await api.post<{ data_file: string[] }>('/api/extras/config-contexts/', { json });
    expect(status).toBe(400);
    expect(body.data_file[0]).toMatch(reason);
  });

  it('reject files whose total size is too large', async () => {
    put('one.j2', 'x'.repeat(90));
    const id = await newSource();
    await sync(id);
    const file = await fileOf(id, 'one.j2');
    const { database } = test.inventory;
    const enlarge = (bytes: number): Promise<unknown> =>
      database.query('UPDATE core_datafile SET size = $2 WHERE id = $1', [file, bytes]);
    const json = [1, 2].map((number) => ({ name: `Large ${number}`, template_code: 'x', data_file: file }));
    await enlarge(9_000_000);
    const together = await api.post(templates, { json });
    expect(together).toMatchObject({
      status: 400,
      body: [{ data_file: [expect.stringContaining('all objects')] }, {}],
    });
    const alone = await api.post(templates, { json: json[0] });
    expect(alone).toMatchObject({
      status: 400,
      body: { data_file: ['one.j2: The file has more than 2621440 bytes.'] },
    });
  });

  it('reject a file that the user may not view', async () => {
    put('one.j2', 'secret');
    const id = await newSource();
    await sync(id);
    const { api: clerk } = await permittedUser(test, {
      types: ['extras.configtemplate'],
      actions: ['add', 'change', 'view'],
      constraints: null,
    });
    const file = await fileOf(id, 'one.j2');
    const post = (data_file: number) =>
      clerk.post<{ data_file: string[] }>(templates, { json: { name: `Own ${count}`, template_code: 'x', data_file } });
    const [refused, missing] = [await post(file), await post(999_999)];
    expect([refused.status, missing.status]).toEqual([400, 400]);
    expect(refused.body.data_file[0]?.replace(String(file), '999999')).toBe(missing.body.data_file[0]);
  });

  it('reject automatic synchronization without a file', async () => {
    const json = { name: `Template ${count}`, template_code: 'x', auto_sync_enabled: true };
    const { status, body } = await api.post(templates, { json });
    expect([status, body]).toEqual([400, { auto_sync_enabled: ['Automatic synchronization needs a data file.'] }]);
  });
});

describe('DataSourceSyncRunner', () => {
  it('runs only one job of a data source at a time', async () => {
    const id = await newSource();
    await enqueue(id);
    await enqueue(id);
    expect((await syncRunnerOf(test).claimNextJob())?.source.id).toBe(id);
    expect(await syncRunnerOf(test).claimNextJob()).toBeNull();
    await endLease(id);
    await syncRunnerOf(test).scheduleAndRunDueJobs();
    const { source, job } = await stateOf(id);
    expect([source.status.value, job.status.value]).toEqual(['completed', 'completed']);
  });

  it('discards the work of a process when another process took over the job', async () => {
    put('one.txt', '1');
    const id = await newSource();
    await enqueue(id);
    const lost = await syncRunnerOf(test).claimNextJob();
    await endLease(id);
    await syncRunnerOf(test).scheduleAndRunDueJobs();
    put('two.txt', '2');
    if (lost === null) throw new Error('no job');
    await syncRunnerOf(test).runClaimedJob(lost);
    const { paths, job } = await stateOf(id);
    expect([paths, job.status.value]).toEqual([['one.txt'], 'completed']);
  });

  it('discards the work of a process whose lease of the job has expired', async () => {
    put('one.txt', '1');
    const id = await newSource();
    await enqueue(id);
    const slow = await syncRunnerOf(test).claimNextJob();
    await endLease(id);
    if (slow === null) throw new Error('no job');
    await syncRunnerOf(test).runClaimedJob(slow);
    expect((await stateOf(id)).paths).toEqual([]);
    await syncRunnerOf(test).scheduleAndRunDueJobs();
    expect((await stateOf(id)).paths).toEqual(['one.txt']);
  });

  it('returns its running job to the queue when the runner stops', async () => {
    put('one.txt', '1');
    const id = await newSource();
    await enqueue(id);
    const runner = syncRunnerOf(test);
    const job = await runner.claimNextJob();
    if (job === null) throw new Error('no job');
    await runner.stop();
    await runner.runClaimedJob(job);
    const { source, job: waiting } = await stateOf(id);
    expect([source.status.value, waiting.status.value]).toEqual(['queued', 'pending']);
    await syncRunnerOf(test).scheduleAndRunDueJobs();
    expect((await stateOf(id)).paths).toEqual(['one.txt']);
  });

  it('schedules the next job by the changed value of sync_interval', async () => {
    const id = await newSource();
    const jobs = async (): Promise<unknown> =>
      (
        await test.inventory.database.query(
          `SELECT status, interval, scheduled > now() + interval '50 min' AS later FROM core_job
            WHERE object_id = $1 ORDER BY id`,
          [id],
        )
      ).rows;
    const patch = (json: object): Promise<unknown> => api.patch(`/api/core/data-sources/${id}/`, { json });
    await patch({ sync_interval: 60 });
    await syncRunnerOf(test).scheduleAndRunDueJobs();
    const completed = { status: 'completed', later: null };
    expect(await jobs()).toEqual([
      { ...completed, interval: 60 },
      { status: 'scheduled', interval: 60, later: true },
    ]);
    await patch({ sync_interval: 720 });
    await syncRunnerOf(test).scheduleAndRunDueJobs();
    expect(await jobs()).toEqual([
      { ...completed, interval: 60 },
      { ...completed, interval: 720 },
      { status: 'scheduled', interval: 720, later: true },
    ]);
    await test.inventory.database.query(
      "UPDATE core_job SET scheduled = now() - interval '1 s' WHERE object_id = $1 AND status = 'scheduled'",
      [id],
    );
    await syncRunnerOf(test).scheduleAndRunDueJobs();
    expect(await jobs()).toHaveLength(4);
    await patch({ enabled: false });
    await syncRunnerOf(test).scheduleAndRunDueJobs();
    expect(await jobs()).toHaveLength(3);
  });
});

describe('events of data source jobs', () => {
  interface Delivery {
    readonly event: string;
    readonly payload: { readonly data: { readonly status: { readonly value: string }; readonly object_id: number } };
  }

  let webhooks: ReturnType<typeof openWebhookDelivery>;

  beforeAll(async () => {
    webhooks = openWebhookDelivery(test.inventory);
    await test.inventory.outbox.start('all');
  });
  afterAll(async () => {
    await test.inventory.outbox.stop();
    await webhooks.stop();
  });

  const deliveriesOf = async (id: number): Promise<Delivery[]> => {
    const { rows } = await test.inventory.database.query<Delivery>(
      'SELECT event, payload FROM webhook_deliveries WHERE object_id = $1 ORDER BY sequence',
      [id],
    );
    return rows;
  };

  it.each([
    ['job_started', 'job_started', 'running', 'readable'],
    ['job_completed', 'job_ended', 'completed', 'readable'],
    ['job_errored', 'job_ended', 'errored', 'absent'],
    ['job_failed', 'job_ended', 'failed', 'fatal'],
  ])('trigger, for %s, only event rules that select this event type', async (type, event, status, kind) => {
    const hook = { name: `Hook ${type}`, payload_url: 'http://localhost:9/' };
    const webhook = (await api.post<{ id: number }>('/api/extras/webhooks/', { json: hook })).body.id;
    const json = {
      name: `Rule ${type}`,
      object_types: ['core.datasource'],
      event_types: [type],
      action_type: 'webhook',
      action_object_type: 'extras.webhook',
      action_object_id: webhook,
    };
    expect((await api.post('/api/extras/event-rules/', { json })).status).toBe(201);
    const id = await newSource(kind === 'absent' ? `${folder}/absent` : folder);
    await enqueue(id);
    // A job during which three processes died has failed.
    for (let deaths = 0; kind === 'fatal' && deaths < 3; deaths += 1) {
      expect((await syncRunnerOf(test).claimNextJob())?.attempt).toBe(deaths + 1);
      await endLease(id);
    }
    await syncRunnerOf(test).scheduleAndRunDueJobs();
    await expect.poll(() => deliveriesOf(id), { timeout: 20_000 }).toHaveLength(1);
    const [delivery] = await deliveriesOf(id);
    expect([delivery?.event, delivery?.payload.data.status.value]).toEqual([event, status]);
    expect(delivery?.payload.data.object_id).toBe(id);
    expect(Object.keys(delivery?.payload ?? {})).not.toContain('snapshots');
    await api.delete(`/api/extras/webhooks/${webhook}/`);
  });
});
