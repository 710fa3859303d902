import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);
const program = (name: string): string => fileURLToPath(new URL(`../dist/${name}.js`, import.meta.url));
const path = process.env['PATH'];

it('admin --help prints the commands in an environment without settings', async () => {
  const env = { NODE_ENV: 'production', PATH: path };
  const { stdout } = await run(process.execPath, [program('admin-bundle'), '--help'], { env });
  expect(stdout).toContain('create-owner');
});

it('main waits for PostgreSQL, then exits with one line of output that names DATABASE_URL', async () => {
  const env = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', BOOT_WAIT_MS: '100', PATH: path };
  const failure: unknown = await run(process.execPath, [program('main')], { env }).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 1, stderr: '' });
  const lines = String(Reflect.get(Object(failure), 'stdout'))
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
  // On a busy machine the first attempt to connect may take longer than the whole time to wait.
  expect(lines.filter((line) => Reflect.get(Object(line), 'msg') !== 'waiting for PostgreSQL')).toEqual([
    expect.objectContaining({
      level: 'fatal',
      msg: expect.stringMatching(
        /^PostgreSQL \(DATABASE_URL\) could not be reached within \d+ s: connect ECONNREFUSED/,
      ),
    }),
  ]);
});

it('main logs that it waits for PostgreSQL, and exits without an error on SIGTERM during the wait', async () => {
  const env = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', BOOT_WAIT_MS: '600000', PATH: path };
  const service = spawn(process.execPath, [program('bundle')], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(service, 'exit');
  const [line] = (await once(service.stdout, 'data')) as [Buffer];
  expect(JSON.parse(line.toString().split('\n')[0] ?? '')).toMatchObject({
    level: 'info',
    msg: 'waiting for PostgreSQL',
    variable: 'DATABASE_URL',
  });
  service.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
});
