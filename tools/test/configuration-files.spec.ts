import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { selectCases } from '@switchboard/testing';
import { afterAll, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'configuration-files-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes a file with a name and a content and returns the path of the file. */
function fileOf(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/**
 * Path of a file with a database URL at which no PostgreSQL server listens. Every process therefore ends after it has
 * read its configuration.
 */
const databaseUrl = fileOf('database-url', 'postgres://nobody:hunter2@127.0.0.1:1/none\n');
const unknownName = fileOf('unknown.env', "# settings\nLOG_LEVEL='warn'\nLOGLEVEL=hunter2\n");

/** Runs a program of a service with the environment variable ROLE=worker. */
function run(app: string, [program = '', ...args]: readonly string[], env: Record<string, string>) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'apps', app, 'dist', program), ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', ROLE: 'worker', BOOT_WAIT_MS: '100', ...env },
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

const programs = [
  ['chat', ['bundle.js']],
  ['chat', ['admin-bundle.js', 'list-dead-letters']],
  ['inventory', ['bundle.js']],
  ['inventory', ['admin-bundle.js', 'check-paths']],
] as const;

// All programs read their configuration by one function. Those of different apps differ in their variables.
const startedPrograms = selectCases(programs, ([, [file]]) => file === 'bundle.js');

describe.each(startedPrograms)('process of %s that runs %j', (app, program) => {
  it('reads variables from CONFIG_FILE and from files that are named in CONFIG_FILE', () => {
    const file = fileOf(`${app}-${program[0]}.env`, `DATABASE_URL_FILE=${databaseUrl}\nLOG_LEVEL=info\n`);
    const { status, stdout, stderr } = run(app, program, { CONFIG_FILE: file });
    expect(status).not.toBe(0);
    expect(stdout + stderr).toContain('connect ECONNREFUSED 127.0.0.1:1');
    expect(stdout + stderr).not.toContain('hunter2');
  });

  it('exits with code 1 and a one-line error when CONFIG_FILE contains an unknown variable', () => {
    expect(run(app, program, { CONFIG_FILE: unknownName })).toEqual({
      status: 1,
      stdout: '',
      stderr: 'The configuration cannot be used: LOGLEVEL: is not a variable of this service (line 3 of CONFIG_FILE)\n',
    });
  });
});

describe('worker of inventory', () => {
  it.each([
    [
      'a variable that is given in both forms',
      { DATABASE_URL: 'hunter3', DATABASE_URL_FILE: databaseUrl },
      'DATABASE_URL: is given twice, as DATABASE_URL and as DATABASE_URL_FILE',
    ],
    [
      'a file that does not exist',
      { SECRET_PEPPERS_FILE: '1:hunter2' },
      'SECRET_PEPPERS: SECRET_PEPPERS_FILE names a file that cannot be read (ENOENT)',
    ],
    [
      'TRUST_PROXY=true in production',
      {
        NODE_ENV: 'production',
        TRUST_PROXY: 'true',
        SECRET_ENCRYPTION_KEYS: `1:${Buffer.from('a key for this test, of 32 bytes').toString('base64')}`,
        SECRET_PEPPERS: '1:a pepper for this test that is long enough',
      },
      'TRUST_PROXY: must not be true in production, because clients could forge their addresses: set it to the number of proxies in front, such as 1, or to their addresses or networks',
    ],
  ])('exits with code 1 and a one-line error for %s', (_, env: Record<string, string>, line) => {
    expect(run('inventory', ['bundle.js'], env)).toEqual({
      status: 1,
      stdout: '',
      stderr: `The configuration cannot be used: ${line}\n`,
    });
  });
});
