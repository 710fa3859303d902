import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createAppEnvironment } from '../entry/app-environment.mjs';
import { appDefinitionByName, getAppPort } from '../entry/app-definitions.mjs';
import { formatLogLine } from '../entry/format-log-line.mjs';
import { longSpecFilesByFolder } from '../entry/long-spec-files.mjs';
import { findNodeVersionProblem } from '../entry/node-version.mjs';
import { findNewestReleaseInRange, parsePeerDependencyRange } from '../entry/packed-matrix.mjs';
import { findPortOwner, findPortListeningError } from '../entry/port-owner.mjs';
import { parseStartArguments } from '../entry/start-command.mjs';
import { createTestRunClosingLines } from '../entry/test-command.mjs';

describe('findNodeVersionProblem', () => {
  it.each(['v20.19.0', 'v20.20.2', 'v22.0.0', 'v26.10.0'])('accepts %s', (version) => {
    expect(findNodeVersionProblem(version)).toBeNull();
  });
  it.each(['v20.18.3', 'v18.20.4', 'v4.9.1'])('rejects %s with instructions', (version) => {
    expect(findNodeVersionProblem(version)).toMatch(/needs Node 20\.19\.0 or newer; this is v[\d.]+ .*\n.*nodejs\.org/);
  });
});

describe('parsePeerDependencyRange', () => {
  it('returns the lowest version of each part of a range', () => {
    expect(parsePeerDependencyRange('^5.3.0 || ^6.0.0').map(({ lowest }) => lowest)).toEqual(['5.3.0', '6.0.0']);
  });
  it('rejects a range of another form', () => {
    expect(() => parsePeerDependencyRange('>=5')).toThrow('>=5');
  });
});

describe('findNewestReleaseInRange', () => {
  const published = ['0.2.2', '0.3.0', '5.2.9', '5.3.0', '5.9.1', '5.10.0', '6.0.0-beta.1', '6.0.0'];
  it.each([
    ['^5.3.0', '5.10.0'],
    ['~5.9.0', '5.9.1'],
    ['^0.2.2', '0.2.2'],
    ['^6.0.0', '6.0.0'],
    ['^7.0.0', null],
  ])('returns the newest release in %s', (range, expected) => {
    expect(findNewestReleaseInRange(published, parsePeerDependencyRange(range)[0]!)).toBe(expected);
  });
});

describe('parseStartArguments and portOf', () => {
  it('return the selected services, and if the data must be reset', () => {
    expect(parseStartArguments([])).toMatchObject({
      apps: Object.values(appDefinitionByName),
      reset: false,
      yes: false,
    });
    expect(parseStartArguments(['chat', '--reset', '--yes'])).toMatchObject({
      apps: [appDefinitionByName.chat],
      reset: true,
      yes: true,
    });
  });
  it('reject unknown names of services and options', () => {
    expect(() => parseStartArguments(['chatt'])).toThrow('Unknown argument "chatt"');
  });
  it.each(['http', '0', '65536', '80.5'])('reject the invalid value CHAT_PORT=%s', (port) => {
    expect(() => getAppPort(appDefinitionByName.chat, { CHAT_PORT: port })).toThrow('CHAT_PORT');
  });
  it('use the default port when CHAT_PORT is empty', () => {
    expect(getAppPort(appDefinitionByName.chat, { CHAT_PORT: '' })).toBe(9991);
  });
});

describe('createAppEnvironment', () => {
  const infrastructure = { databaseUrl: () => 'postgres://h/d', redisUrl: () => 'redis://h' };
  const environmentOf = (env: Record<string, string>): Record<string, string | undefined> =>
    createAppEnvironment(appDefinitionByName.chat, infrastructure as never, { NODE_ENV: 'test', ...env });

  it('passes on variables with the suffix _FILE unless the function sets the variable itself', () => {
    expect(environmentOf({ CONFIG_FILE: '/c', SMTP_URL_FILE: '/s', DATABASE_URL: 'unused' })).toMatchObject({
      CONFIG_FILE: '/c',
      SMTP_URL_FILE: '/s',
      DATABASE_URL: 'postgres://h/d',
    });
  });
  it('places the folders of the service below SWITCHBOARD_DATA, unless variables name other folders', () => {
    expect(environmentOf({})).not.toHaveProperty('UPLOADS_DIR');
    const moved = environmentOf({ SWITCHBOARD_DATA: '/data', MAIL_FOLDER: '/mails' });
    expect(moved).toMatchObject({ UPLOADS_DIR: expect.stringMatching(/\/chat-files$/), MAIL_FOLDER: '/mails' });
    expect(environmentOf({ SWITCHBOARD_DATA: '/data', UPLOADS_DIR_FILE: '/f' })).not.toHaveProperty('UPLOADS_DIR');
  });
  it('rejects NAME_FILE for a variable that the function sets, and names the variable to use instead', () => {
    expect(() => environmentOf({ DATABASE_URL_FILE: '/d' })).toThrow(
      'DATABASE_URL_FILE has no effect here. Set DATABASE_URL_CHAT.',
    );
    expect(() => environmentOf({ PORT_FILE: '/p' })).toThrow('PORT_FILE has no effect here. Set CHAT_PORT.');
  });
});

describe('formatLogLine', () => {
  it('formats time, service, level, message and fields', () => {
    const line = JSON.stringify({
      level: 'warn',
      time: 0,
      pid: 1,
      hostname: 'h',
      msg: 'slow query',
      ms: 300,
      err: { message: 'boom' },
    });
    expect(formatLogLine('chat', line)).toMatch(/^\d\d:\d\d:\d\d chat {6}WARN {2}slow query ms=300 err=boom$/);
  });
  it.each(['plain text', '[1,2]', 'null', '{"no":"level"}'])('returns %s unchanged', (line) => {
    expect(formatLogLine('chat', line)).toBe(`chat      ${line}`);
  });
});

describe('findPortOwner', () => {
  it('returns the process that listens on a port of all addresses', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    expect(await findPortListeningError('127.0.0.1', port)).toMatchObject({ code: 'EADDRINUSE' });
    expect(findPortOwner(port)).toMatchObject({ pid: process.pid, command: expect.stringContaining('node') });
    await new Promise((resolve) => server.close(resolve));
    expect(findPortOwner(port)).toBeNull();
    expect(await findPortListeningError('127.0.0.1', port)).toBeNull();
  });
});

describe('createTestRunClosingLines', () => {
  const report = { numPassedTests: 7, numFailedTests: 1, numPendingTests: 0, numTodoTests: 0, testResults: [] };
  it('includes the numbers of passed and failed tests', () => {
    expect(createTestRunClosingLines(report, []).lines).toEqual(['7 passed, 1 failed']);
  });
  it('counts a file that could not be loaded as a failure', () => {
    const testResults = [{ status: 'failed', name: 'broken.spec.ts', assertionResults: [] }];
    expect(createTestRunClosingLines({ ...report, numFailedTests: 0, testResults }, [])).toMatchObject({
      failed: 1,
      lines: ['Could not be loaded: broken.spec.ts', '7 passed, 1 failed'],
    });
  });
  it('lists all tests that the run left out', () => {
    const files = ['test/one.spec.ts', 'test/two.spec.ts'];
    expect(createTestRunClosingLines({ ...report, numPendingTests: 2 }, ['a', 'b', 'c'], 5, files).lines).toEqual([
      '2 skipped',
      '3 cases cannot run on this machine and were not registered',
      '5 further cases run only in npm run test:long',
      'Files that run only in npm run test:long: test/one.spec.ts, test/two.spec.ts',
      '7 passed, 1 failed',
    ]);
  });
});

describe('longSpecFilesByFolder', () => {
  it.each(Object.entries(longSpecFilesByFolder))('names existing spec files of %s', (folder, files) => {
    const root = join(import.meta.dirname, '../..', folder);
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });
});
