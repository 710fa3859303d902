import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { pauseBeforeReportingEditsMs, watchSourceFiles } from '../entry/watch-source-files.mjs';
import { FixtureWorkspace, serverPids } from './fixture/workspace.js';

let workspace: FixtureWorkspace;

beforeEach(async () => {
  workspace = new FixtureWorkspace();
  await workspace.choosePorts();
  workspace.write('tools/gen.mjs', 'console.log("generated")');
  workspace.write('tools/webhook-format-list.mjs', 'export function writeWebhookFormatList() {}');
});

afterEach(() => workspace.remove());

/**
 * Runs a command of the entry script to its end. The program `npx` is replaced by a script that records its arguments.
 */
async function run(args: string[], npx = 'exit 0'): Promise<{ code: number | null; output: string }> {
  workspace.write('bin/npx', `#!/bin/sh\necho "npx $*" >> steps.txt\n${npx}\n`);
  chmodSync(workspace.path('bin/npx'), 0o755);
  const started = workspace.entry(args, { PATH: `${workspace.path('bin')}:${process.env['PATH']}` });
  return { code: await started.ended, output: started.output() };
}

const steps = (): string[] => workspace.read('steps.txt').split('\n').filter(Boolean);

describe('setUp', () => {
  it('runs each step once, with the pinned pnpm and the frozen lockfile', async () => {
    rmSync(workspace.path('node_modules/.pnpm'), { recursive: true });
    const first = await run(['gen']);
    expect(first).toMatchObject({ code: 0, output: expect.stringContaining('generated') });
    const wanted = [
      'npx -y pnpm@0.0.0 install --frozen-lockfile --reporter=append-only',
      'generate',
      'compile',
      'bundle',
    ];
    expect(steps()).toEqual(wanted);
    await run(['gen']);
    expect(steps()).toEqual(wanted);
  });

  it('uses no network if the dependencies are already installed', async () => {
    await run(['gen']);
    expect(steps()).toEqual(['generate', 'compile', 'bundle']);
  });

  it('repeats only steps whose inputs changed', async () => {
    await run(['gen']);
    workspace.write('apps/chat/src/main.ts', 'changed');
    await run(['gen']);
    workspace.write('prisma/chat/schema.prisma', 'changed');
    await run(['gen']);
    expect(steps()).toEqual(['generate', 'compile', 'bundle', 'compile', 'bundle', 'generate']);
    workspace.write('apps/chat/src/main.spec.ts', 'a test is not compiled');
    await run(['gen']);
    expect(steps()).toHaveLength(6);
    workspace.write('pnpm-lock.yaml', 'changed');
    await run(['gen']);
    expect(steps()[6]).toContain('npx -y pnpm@0.0.0');
  });

  it('stops at the failed step, prints its output, and repeats the step at the next call', async () => {
    rmSync(workspace.path('node_modules/.pnpm'), { recursive: true });
    const failed = await run(['gen'], 'echo ERR_PNPM_NO_NETWORK; exit 7');
    expect(failed.code).toBe(1);
    expect(failed.output).toMatch(
      /Installing dependencies with pnpm@0\.0\.0: FAILED[\s\S]*exit code 7:\nERR_PNPM_NO_NETWORK/,
    );
    expect(steps()).toHaveLength(1);
    expect((await run(['gen'])).code).toBe(0);
  });

  it('runs once when two commands start concurrently', async () => {
    await Promise.all([run(['gen']), run(['gen'])]);
    expect(steps()).toEqual(['generate', 'compile', 'bundle']);
  });

  it('lists the available commands when the command is unknown', async () => {
    const { code, output } = await run(['sing']);
    expect(code).toBe(1);
    expect(output).toContain('start, dev, test, test:long, test:faults, test:upgrade, test:hostile, test:races, check');
  });
});

describe('npm test', () => {
  const report = { numPassedTests: 3, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [] };

  function standIn(check: number, vitest: number, counts: object): void {
    workspace.write('tools/check.mjs', `console.log('checking'); process.exit(${check});`);
    workspace.write(
      'node_modules/vitest/vitest.mjs',
      `import { appendFileSync, writeFileSync } from 'node:fs';
      const file = process.argv.find((argument) => argument.startsWith('--outputFile.json=')).split('=')[1];
      writeFileSync(file, ${JSON.stringify(JSON.stringify({ ...report, ...counts }))});
      appendFileSync(process.env.NOT_REGISTERED_FILE, 'a case\\n');
      if (process.env.TEST_FORM === 'short') appendFileSync(process.env.OMITTED_CASES_FILE, '2\\n3\\n');
      console.log('vitest', process.argv.slice(2).join(' '));
      process.exit(${vitest});`,
    );
  }

  it('checks, runs vitest once with the given arguments, and prints the counts', async () => {
    standIn(0, 0, {});
    const { code, output } = await run(['test', '--project', 'chat']);
    expect(code).toBe(0);
    expect(output).toMatch(/checking[\s\S]*vitest run .*--project chat\n/);
    expect(output.trimEnd()).toMatch(
      /1 cases cannot run on this machine and were not registered\n5 further cases run only in npm run test:long\nFiles that run only in npm run test:long: \S.*\n3 passed, 0 failed$/,
    );
  });

  it('runs the long form without checks for test:long', async () => {
    standIn(1, 0, {});
    const { code, output } = await run(['test:long', '--project', 'chat']);
    expect(code).toBe(0);
    expect(output).toMatch(/vitest run .*--project chat\n/);
    expect(output).not.toMatch(/checking|further cases|Files that run only/);
  });

  it.each([
    ['check fails', 1, 0, {}, /check FAILED: see above\n[\s\S]*3 passed, 0 failed$/],
    ['a test fails', 0, 1, { numFailedTests: 2 }, /3 passed, 2 failed$/],
    ['vitest fails by itself', 0, 1, {}, /vitest ended with exit code 1[\s\S]*3 passed, 0 failed$/],
  ])('exits 1 when %s', async (_name, check, vitest, counts, closing) => {
    standIn(check, vitest, counts);
    const { code, output } = await run(['test']);
    expect(code).toBe(1);
    expect(output.trimEnd()).toMatch(closing);
  });
});

describe('npm run admin', () => {
  beforeEach(() => {
    const program =
      'console.log(JSON.stringify({ args: process.argv.slice(2), url: process.env.DATABASE_URL })); process.exit(5);';
    workspace.write('apps/chat/dist/admin-bundle.js', program);
  });

  interface Said {
    args: string[];
    url: string;
  }
  const said = (output: string): Said => JSON.parse(/^\{"args.*$/m.exec(output)?.[0] ?? '{}') as Said;

  it('uses the databases of a running npm start, and leaves these databases running', async () => {
    await workspace.start(['chat']);
    const running = serverPids(workspace);
    const { code, output } = await run(['admin', 'chat', 'create-realm', '--name', 'x']);
    expect(code).toBe(5);
    expect(said(output)).toMatchObject({
      args: ['create-realm', '--name', 'x'],
      url: expect.stringContaining('/switchboard_chat'),
    });
    expect(serverPids(workspace)).toEqual(running);
  });

  it('starts databases if none are running', async () => {
    const { output } = await run(['admin', 'chat', 'create-realm']);
    expect(said(output).url).toContain('/switchboard_chat');
    expect(serverPids(workspace)).toEqual([]);
  });

  it('prints its usage', async () => {
    expect((await run(['admin', 'chess'])).output).toContain('Usage: npm run admin -- chat | inventory');
  });
});

describe('watchSourceFiles', () => {
  it('reports only edited files, replaced files, and files in new folders', async () => {
    const folder = workspace.path('watched');
    mkdirSync(folder);
    writeFileSync(join(folder, 'a.ts'), '1');
    let edits = 0;
    const end = watchSourceFiles([folder], () => (edits += 1));
    const quiet = async (): Promise<void> => {
      for (let before = -1; before !== edits;) {
        before = edits;
        await delay(pauseBeforeReportingEditsMs * 4);
      }
    };
    /**
     * Returns true if the watcher reports a change. On a busy machine the watcher may report the steps of one change
     * separately.
     */
    const isHeard = async (change: () => void): Promise<boolean> => {
      await quiet();
      edits = 0;
      change();
      await vi.waitUntil(() => edits > 0, { timeout: 10_000, interval: 20 });
      return true;
    };
    const isIgnored = async (change: () => void): Promise<boolean> => {
      await quiet();
      edits = 0;
      change();
      await quiet();
      return edits === 0;
    };
    const replace = (): void => {
      writeFileSync(join(folder, 'a.ts.tmp'), '2');
      renameSync(join(folder, 'a.ts.tmp'), join(folder, 'a.ts'));
    };
    expect(await isHeard(() => writeFileSync(join(folder, 'a.ts'), '1'))).toBe(true);
    expect(await isHeard(replace)).toBe(true);
    expect(await isHeard(replace)).toBe(true);
    expect(await isHeard(() => mkdirSync(join(folder, 'deep/deeper'), { recursive: true }))).toBe(true);
    expect(await isHeard(() => writeFileSync(join(folder, 'deep/deeper/b.ts'), '1'))).toBe(true);
    expect(await isIgnored(() => writeFileSync(join(folder, 'a.spec.ts'), '1'))).toBe(true);
    rmSync(join(folder, 'deep'), { recursive: true });
    await quiet();
    end();
    expect(await isIgnored(replace)).toBe(true);
  });
});
