import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listRepositoryFiles } from '../src/data-sources/git/repository-files.js';
import { createDataSourceSyncSettings } from '../src/data-sources/index.js';
import { syncResultOf } from './support/data-sources.js';
import { type GitServer, gitServer } from './support/git-server.js';
import { startInventory, type TestInventory } from './support/test-service.js';

const limits = { DATA_SOURCE_MAX_FILES: '5', DATA_SOURCE_MAX_FILE_BYTES: '1000', DATA_SOURCE_MAX_BYTES: '2000' };
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

let test: TestInventory;
let folder = '';
let server: GitServer;
let count = 0;

beforeAll(async () => {
  test = await startInventory({ DATA_SOURCE_ALLOW_LOOPBACK: 'true', ...limits });
});
afterAll(() => test.close());
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'repository-'));
  server = await gitServer(folder);
  return async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  };
});

async function newSource({
  parameters = {},
  url = server.url,
}: { parameters?: object; url?: string } = {}): Promise<number> {
  count += 1;
  const json = { name: `Repository ${count}`, type: 'git', source_url: url, parameters };
  return (await test.api.post<{ id: number }>('/api/core/data-sources/', { json })).body.id;
}

describe('POST /api/core/data-sources/{id}/sync/ of type git', () => {
  it('reads the newest commit of the default branch', async () => {
    await server.commit({ 'one.j2': 'one', 'deep/er/two.txt': 'two', '.hidden': 'x' });
    const id = await newSource();
    const first = await syncResultOf(test, id);
    expect(first).toEqual({
      status: ['completed', 'completed'],
      error: '',
      files: { 'one.j2': hashOf('one'), 'deep/er/two.txt': hashOf('two') },
    });
    await server.commit({ 'one.j2': 'changed', 'deep/er/two.txt': null, 'three.txt': 'x'.repeat(900) });
    const { files } = await syncResultOf(test, id);
    expect(files).toEqual({ 'one.j2': hashOf('changed'), 'three.txt': hashOf('x'.repeat(900)) });
  });

  it('reads folders whose mode has a leading zero', async () => {
    await server.commit({ 'deep/one.txt': 'one' });
    await server.commitOldModes();
    expect((await syncResultOf(test, await newSource())).files).toEqual({ 'deep/one.txt': hashOf('one') });
  });

  it('reads the files in the order of the git pack', async () => {
    await server.commit({ 'a/one': '1', 'b/two': '2', c: '3' });
    const settings = createDataSourceSyncSettings(test.inventory.config);
    const { signal } = new AbortController();
    const paths: string[] = [];
    for await (const { path } of listRepositoryFiles(server.url, new Map(), settings, signal)) paths.push(path);
    expect(paths).toEqual(['a/one', 'b/two', 'c']);
  });

  it('reads the branch or tag that the parameter branch names', async () => {
    await server.commit({ one: 'one' });
    await server.branch('side');
    await server.commit({ side: 'side' });
    await server.tag('v1');
    await server.checkout('main');
    const side = { one: hashOf('one'), side: hashOf('side') };
    expect((await syncResultOf(test, await newSource({ parameters: { branch: 'side' } }))).files).toEqual(side);
    expect((await syncResultOf(test, await newSource({ parameters: { branch: 'v1' } }))).files).toEqual(side);
    expect((await syncResultOf(test, await newSource())).files).toEqual({ one: hashOf('one') });
    const { error } = await syncResultOf(test, await newSource({ parameters: { branch: 'absent' } }));
    expect(error).toBe('The repository has neither a branch nor a tag absent.');
  });

  it('sends the parameters username and password, but not to another server', async () => {
    await server.commit({ one: 'one' });
    server.credentials = 'robot:pass-word';
    const parameters = { username: 'robot', password: 'pass-word' };
    expect((await syncResultOf(test, await newSource({ parameters }))).status).toEqual(['completed', 'completed']);
    const { error } = await syncResultOf(test, await newSource());
    expect(error).toContain('refuses access with status 401');
    const otherFolder = mkdtempSync(join(tmpdir(), 'repository-'));
    const other = await gitServer(otherFolder);
    await other.commit({ other: 'other' });
    server.redirectTo = new URL(other.url).origin;
    const { files } = await syncResultOf(test, await newSource({ parameters }));
    expect(files).toEqual({ other: hashOf('other') });
    expect(other.authorization).toBeUndefined();
    await other.close();
    rmSync(otherFolder, { recursive: true });
  });

  it('retains the stored files when the repository cannot be read', async () => {
    await server.commit({ one: 'one' });
    const id = await newSource();
    await syncResultOf(test, id);
    server.pack = Buffer.from('PACK and no more');
    const { status, error, files } = await syncResultOf(test, id);
    expect([status, files]).toEqual([['failed', 'errored'], { one: hashOf('one') }]);
    expect(error).toBe('The objects of the repository are malformed.');
  });

  it.each([
    ['too many files', Object.fromEntries([...'123456'].map((name) => [name, name])), /more than 5 files/],
    ['a file that is too large', { large: 'x'.repeat(1001) }, /large has more than 1000 bytes/],
    ['too many bytes', { a: 'a'.repeat(900), b: 'b'.repeat(900), c: 'c'.repeat(900) }, /more than 2000 bytes/],
    ['a path that is too long', { [`${`${'d'.repeat(250)}/`.repeat(4)}file`]: 'x' }, /more than 1000 characters/],
  ])('rejects %s', async (_case, files, message) => {
    await server.commit(files);
    const result = await syncResultOf(test, await newSource());
    expect(result.error).toMatch(message);
    expect(result.files).toEqual({});
  });

  it.each([
    ['file:///srv/repo', /must begin with http/],
    ['git.example/repo', /must begin with http/],
    ['http://user:secret@127.0.0.1:1/repo', /parameters username and password/],
    ['http://127.0.0.1:1/repo?x=1', /no query/],
    ['http://127.0.0.1:1/repo', /Could not connect/],
  ])('rejects the URL %s', async (url, message) => {
    expect((await syncResultOf(test, await newSource({ url }))).error).toMatch(message);
  });

  it('rejects an empty repository, and a URL without a repository', async () => {
    expect((await syncResultOf(test, await newSource())).error).toBe('The repository is empty.');
    const { error } = await syncResultOf(test, await newSource({ url: server.url.replace('repo.git', 'none.git') }));
    expect(error).toBe('The git server has no repository at the URL.');
  });

  it('connects only to addresses that the address policy allows, also after a redirect', async () => {
    await server.commit({ one: 'one' });
    server.redirectTo = 'http://169.254.169.254';
    const { error } = await syncResultOf(test, await newSource());
    expect(error).toMatch(/169\.254\.169\.254 .* is refused/);
  });
});
