import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWebhookDelivery } from '../src/webhooks/index.js';
import { syncRunnerOf } from './support/data-sources.js';
import { type GitServer, gitServer } from './support/git-server.js';
import { startInventory, type TestInventory } from './support/test-service.js';
import { type RecordedRequestSequence, readRecording, Replay, type Step } from './support/replay-recorded-requests.js';

/**
 * Regular expressions of intended differences between the responses of this service and those of the reference server.
 */
const onPurpose: readonly RegExp[] = [
  // Times and identifiers of one run.
  /\.(?:last_synced|data_synced|started|completed|job_id): "[^"]+", not "[^"]+"$/u,
  /^GET \/api\/core\/jobs\/\S* \.results\[\d+\]\.id: /u,
  // Log lines and errors have texts of this service.
  /\.(?:log_entries|error)\b/u,
  // Secrets are never shown, and change records do not distinguish new ones.
  /\.parameters\.password: "\*{8}", not "(?:PASSWORD|\*{3}CHANGED\*{3})"$/u,
  // Bodies of webhooks.
  /^WEBHOOK \S+ (?:\.timestamp: |\.username: "root", not "admin"$|\.request\.id: )/u,
  // Lists of types are in another order.
  /^POST \/api\/users\/permissions\/ \.object_types/u,
];

const failsHere = 'A folder that cannot be read fails the synchronization here and keeps the files.';
const failedEarlier = 'A synchronization of an earlier part fails here.';
const filledHere = 'A new object has the content of its file at once here.';
const badInput = 'The request is refused here.';
const unsuitable = 'A file that does not suit its object fails the synchronization here, and nothing is stored.';
const otherNumbers = 'Depends on steps that are skipped.';
const rulesWork = 'Event rules on jobs break the jobs of the reference server.';
const noScripts = 'Scripts are not run here.';

/** Returns an entry for each of several recorded steps, with the same reason for skipping the step. */
function steps(reason: string, ...indexes: readonly number[]): Record<number, string> {
  return Object.fromEntries(indexes.map((index) => [index, reason]));
}

/**
 * Recorded steps whose responses the test does not compare, by title of the sequence and index of the step. Each entry
 * has the reason.
 */
const skipped: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  'disabled source and a source that is queued': { 6: 'Jobs are run after each request here.' },
  'failing sources': {
    ...steps(failsHere, 2, 3, 8, 9, 17, 18, 19, 21, 23),
    13: 'Repositories without a server are refused here.',
  },
  'config template, export template and config context from data files': {
    ...steps(filledHere, 5, 8, 22, 25, 27, 28),
    ...steps(badInput, 10, 13, 24),
    21: 'The source of an object without file is kept here.',
  },
  'auto sync of bound objects': {
    7: 'The test binds the template without its content.',
    ...steps(failedEarlier, 17),
    ...steps(unsuitable, 25, 26, 28, 29, 30, 31, 33),
    49: 'One more object refers to the source here.',
  },
  'includes between data files': {
    ...steps('The error does not name the template again here.', 21, 24),
    ...steps(filledHere, 7, 8, 9, 11, 12, 13, 15, 16, 17, 18, 20, 22),
  },
  'event rules on job events': {
    5: 'The next synchronization of the interval is not scheduled here.',
    8: otherNumbers,
    ...steps(rulesWork, 21, 35, 36, 37, 39, 40),
  },
  'event rules on the jobs of a script': steps(noScripts, 0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 14, 16),
  permissions: { 10: failedEarlier, 13: otherNumbers },
  'sync interval': {
    ...steps('Jobs are run after each request here.', 1, 6, 8),
    4: otherNumbers,
    12: otherNumbers,
  },
  'jobs: list, filters, deletion; deleting sources': steps(otherNumbers, 0, 1, 2, 3, 6, 10, 12, 16, 17),
};

describe('requests recorded on the reference server: data sources', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sources-'));
  let test: TestInventory;
  let replay: Replay;
  let repository: GitServer;

  beforeAll(async () => {
    test = await startInventory({ DATA_SOURCE_FOLDERS: folder, DATA_SOURCE_ALLOW_LOOPBACK: 'true' });
    replay = new Replay(test, onPurpose);
    repository = await gitServer(join(folder, 'repo'));
    openWebhookDelivery(test.inventory);
    await test.inventory.outbox.start('all');
  });
  afterAll(async () => {
    await test.inventory.outbox.stop();
    await test.close();
    await repository.close();
    rmSync(folder, { recursive: true });
  });

  /** Returns a recorded step in which the test's own folder, repository and receiver replace the recorded ones. */
  const here = (step: Step): Step =>
    JSON.parse(
      JSON.stringify(step)
        .replaceAll(/"(?:file:\/\/)?DIR\/repo"/gu, JSON.stringify(repository.url))
        .replaceAll('DIR/', `${folder}/`)
        .replaceAll('RECEIVER/', 'http://localhost:9/'),
    ) as Step;

  /**
   * Performs a recorded step that changes something outside the service, such as a file. Returns false if the step is a
   * request to the service.
   */
  async function changeOutside(step: Step, title: string): Promise<boolean> {
    const note = step.method === 'NOTE' ? (step.note ?? '') : '';
    if (step.method === 'FILE') changeFiles(step);
    if (title === 'auto sync of bound objects' && note !== '') await bindCopies(test);
    if (note.startsWith('git commit')) await repository.commit({});
    const [, isNew, branch = ''] = /^git checkout (-b )?(\w+)$/u.exec(note) ?? [];
    if (branch !== '') await (isNew === undefined ? repository.checkout(branch) : repository.branch(branch));
    return step.method === 'FILE' || step.method === 'NOTE';
  }

  let webhooks = 0;

  async function differencesOfStep(step: Step): Promise<string[]> {
    if (step.method !== 'WEBHOOK') return replay.differences(step);
    webhooks += 1;
    const sent = (): Promise<unknown[]> => payloadsOf(test);
    await expect.poll(sent, { timeout: 20_000 }).toHaveLength(webhooks);
    return replay.webhookDifferences(step, (await sent()).at(-1));
  }

  async function differencesOf({ title, steps: requests }: RecordedRequestSequence): Promise<string[]> {
    const found: string[] = [];
    for (const [index, recorded] of requests.entries()) {
      const step = here(recorded);
      if (await changeOutside(step, title)) continue;
      const isSkipped = skipped[title]?.[index] !== undefined;
      if (isSkipped && step.method === 'WEBHOOK') continue;
      const differences = await differencesOfStep(step);
      const isInterval = title === 'sync interval' && /^(?:POST|PATCH)$/u.test(step.method);
      if (step.path.endsWith('/sync/') || isInterval) await syncRunnerOf(test).scheduleAndRunDueJobs();
      if (!isSkipped)
        found.push(...differences.map((difference) => `${index} ${step.method} ${step.path} ${difference}`));
    }
    return found;
  }

  it.each(readRecording('7-data-sources'))('get the recorded response: $title', async (part) => {
    expect(await differencesOf(part)).toEqual([]);
  });
});

/** Returns the bodies of webhook requests about changed objects, in the order in which the service sends them. */
async function payloadsOf({ inventory }: TestInventory): Promise<unknown[]> {
  const { rows } = await inventory.database.query<{ payload: unknown }>(
    "SELECT payload FROM webhook_deliveries WHERE event NOT LIKE 'job%' ORDER BY sequence",
  );
  return rows.map(({ payload }) => payload);
}

/**
 * Sets the data files of an export template and a config context directly in the database, because the API cannot set
 * them. The recording was made in the same way.
 */
async function bindCopies({ inventory }: TestInventory): Promise<void> {
  for (const [table, name, path] of [
    ['extras_exporttemplate', 'ex file', 'name with space.j2'],
    ['extras_configcontext', 'ctx file', 'sub/beta.yaml'],
  ]) {
    await inventory.database.query(
      `UPDATE ${table} o SET auto_sync_enabled = true, data_file_id = f.id, data_source_id = f.source_id, data_path = f.path,
          data_synced = now() FROM core_datafile f WHERE o.name = $1 AND f.path = $2`,
      [name, path],
    );
  }
}

/** Writes, deletes or moves a file or folder, as the recorded step describes. */
function changeFiles({ path, body, note }: Step): void {
  if (note === 'file deleted') rmSync(path);
  else if (note === 'folder moved away') renameSync(path, `${path}-moved`);
  else if (note === 'folder moved back') renameSync(`${path}-moved`, path);
  else {
    mkdirSync(dirname(path), { recursive: true });
    const bytes = /^<\d+ bytes: (?<hex>[0-9a-f]+)>$/u.exec(String(body))?.groups?.['hex'];
    writeFileSync(path, bytes === undefined ? String(body) : Buffer.from(bytes, 'hex'));
  }
}
