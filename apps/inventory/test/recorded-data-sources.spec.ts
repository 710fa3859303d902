import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { syncRunnerOf } from './support/data-sources.js';
import { startInventory, type TestInventory } from './support/harness.js';
import { type Part, readRecording, Replay, type Step } from './support/replay-recording.js';

/** Parts of the recording that this service does not replay yet, with the reason. */
const otherParts: Readonly<Record<string, string>> = {
  'includes between data files': 'Templates cannot include files yet.',
  'git source': 'Another test fetches repositories.',
  'event rules on job events': 'Such rules break the jobs of the reference server.',
  'event rules on the jobs of a script': 'Scripts are not run.',
};

/** Intended differences from the reference server. */
const onPurpose: readonly RegExp[] = [
  // Times and identifiers of one run.
  /\.(?:last_synced|data_synced|started|completed|job_id): "[^"]+", not "[^"]+"$/u,
  /^GET \/api\/core\/jobs\/\S* \.results\[\d+\]\.id: /u,
  // Log lines and errors have texts of this service.
  /\.(?:log_entries|error)\b/u,
  // Secrets are never shown, and change records do not distinguish new ones.
  /\.parameters\.password: "\*{8}", not "(?:PASSWORD|\*{3}CHANGED\*{3})"$/u,
  // Lists of types are in another order.
  /^POST \/api\/users\/permissions\/ \.object_types/u,
];

const failsHere = 'A folder that cannot be read fails the synchronization here and keeps the files.';
const failedEarlier = 'A synchronization of an earlier part fails here.';
const filledHere = 'A new object has the content of its file at once here.';
const badInput = 'The request is refused here.';
const unsuitable = 'A file that does not suit its object fails the synchronization here, and nothing is stored.';
const otherNumbers = 'Depends on parts that are not replayed.';

/** Returns the same reason for several steps. */
function steps(reason: string, ...indexes: readonly number[]): Record<number, string> {
  return Object.fromEntries(indexes.map((index) => [index, reason]));
}

/** Steps that are not compared, by title of the part and index of the step, with the reason. */
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
  permissions: { 10: failedEarlier, 13: otherNumbers },
  'sync interval': {
    ...steps('Jobs are run after each request here.', 1, 6, 8),
    4: otherNumbers,
    12: otherNumbers,
  },
  'jobs: list, filters, deletion; deleting sources': steps(otherNumbers, 0, 1, 2, 3, 6, 10, 12, 16, 17),
};

describe('recorded requests to data sources', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sources-'));
  const recording = readRecording('7-data-sources').filter(({ title }) => otherParts[title] === undefined);
  let test: TestInventory;
  let replay: Replay;

  beforeAll(async () => {
    test = await startInventory({ DATA_SOURCE_FOLDERS: folder });
    replay = new Replay(test, onPurpose);
  });
  afterAll(async () => {
    await test.close();
    rmSync(folder, { recursive: true });
  });

  /** Returns a step with the folder of this test in place of the recorded one. */
  const here = (step: Step): Step => JSON.parse(JSON.stringify(step).replaceAll('DIR/', `${folder}/`)) as Step;

  async function differencesOf({ title, steps: requests }: Part): Promise<string[]> {
    const found: string[] = [];
    for (const [index, recorded] of requests.entries()) {
      const step = here(recorded);
      if (step.method === 'FILE') changeFiles(step);
      if (title === 'auto sync of bound objects' && step.method === 'NOTE') await bindCopies(test);
      if (step.method === 'FILE' || step.method === 'NOTE') continue;
      const differences = await replay.differences(step);
      const isInterval = title === 'sync interval' && /^(?:POST|PATCH)$/u.test(step.method);
      if (step.path.endsWith('/sync/') || isInterval) await syncRunnerOf(test).run();
      if (skipped[title]?.[index] !== undefined) continue;
      found.push(...differences.map((difference) => `${index} ${step.method} ${step.path} ${difference}`));
    }
    return found;
  }

  it.each(recording)('responds as recorded: $title', async (part) => {
    expect(await differencesOf(part)).toEqual([]);
  });
});

/** Binds an export template and a config context to files, as the recording was made: the API cannot do it. */
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

/** Writes, deletes or moves a file or folder as recorded. */
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
