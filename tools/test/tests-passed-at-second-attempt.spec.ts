import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repositoryRoot } from '../entry/data-folder-paths.mjs';
import { createTestRunClosingLines, createVitestRetryArguments } from '../entry/test-command.mjs';

const fixture = join(import.meta.dirname, 'fixture', 'second-attempt');

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'second-attempt-'));
});
afterAll(() => rm(folder, { recursive: true }));

/**
 * Runs a failing test file with the vitest arguments that `npm test` uses in the given environment. Returns the exit
 * code and the last lines of the output.
 */
async function run(env: NodeJS.ProcessEnv) {
  const report = join(folder, 'report.json');
  const vitest = join(repositoryRoot, 'node_modules', 'vitest', 'vitest.mjs');
  const args = [
    vitest,
    'run',
    '--root',
    fixture,
    '--reporter=json',
    `--outputFile=${report}`,
    ...createVitestRetryArguments(env),
  ];
  const child = spawn(process.execPath, args, { stdio: 'ignore' });
  const [code] = await once(child, 'exit');
  return { code, lines: createTestRunClosingLines(JSON.parse(await readFile(report, 'utf8')), []).lines };
}

describe('npm test', () => {
  it('lists tests that passed only at the second attempt, with CI set', async () => {
    const { code, lines } = await run({ CI: 'true' });
    expect(code).toBe(0);
    expect(lines).toEqual([
      'Passed only at the second attempt; each is a defect to fix:',
      expect.stringMatching(
        /^ {2}tools\/test\/fixture\/second-attempt\/attempts\.fixture\.mjs > GET \/flaky > passes at the second attempt: AssertionError: expected/,
      ),
      '2 passed, 0 failed',
    ]);
  });

  it('repeats no test without CI', async () => {
    const { code, lines } = await run({});
    expect(code).toBe(1);
    expect(lines).toEqual(['1 passed, 1 failed']);
  });
});
