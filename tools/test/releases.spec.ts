import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { releaseVersions as serviceRelease } from '../../packages/platform/src/release-versions.js';
import { release as queueRelease } from '../../packages/queue/src/release.js';
import { release as webhookRelease } from '../../packages/webhooks/src/release.js';
import { listPublishedPackageFolderNames } from '../entry/published-packages.mjs';
import { sharedPackages } from './fixture/packed-project.js';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const versionOf = (manifest: string): string => (JSON.parse(manifest) as { version: string }).version;

/** Releases of Switchboard that `releases.json` contains, oldest first. */
const releases = JSON.parse(read('releases.json')) as { version: string; commit: string }[];
const version = versionOf(read('package.json'));
const { compare } = new Intl.Collator('en', { numeric: true });

const members = ['apps', 'packages']
  .flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`))
  .filter((member) => existsSync(join(root, member, 'package.json')));

const isPrivate = (member: string): boolean =>
  (JSON.parse(read(`${member}/package.json`)) as { private?: boolean }).private === true;

const git = (...args: string[]) => spawnSync('git', args, { cwd: root, encoding: 'utf8' });
const isInHistory = ({ commit }: { commit: string }): boolean => git('cat-file', '-e', commit).status === 0;

function listMigrations(): string[] {
  const services = ['chat', 'inventory'].flatMap((app) =>
    readdirSync(join(root, 'prisma', app, 'migrations'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `prisma/${app}/migrations/${name}/migration.sql`),
  );
  const packages = ['queue', 'webhooks'].flatMap((name) =>
    readdirSync(join(root, 'packages', name, 'sql')).map((file) => `packages/${name}/sql/${file}`),
  );
  return [...services, ...packages];
}

describe('releases.json', () => {
  it('lists releases in the order of their versions, all older than the version in development', () => {
    const versions = releases.map((release) => release.version);
    for (const { commit, version: name } of releases) {
      expect(name).toMatch(/^\d+\.\d+\.\d+$/);
      expect(commit).toMatch(/^[0-9a-f]{40}$/);
    }
    expect([...versions].sort(compare)).toEqual(versions);
    expect(compare(versions.at(-1) ?? '', version)).toBe(-1);
  });

  // A copy without history, or with a part of it, has no old commits.
  for (const one of releases.filter(isInHistory)) {
    it(`contains for ${one.version} a commit whose package.json has this version`, () => {
      expect(versionOf(git('show', `${one.commit}:package.json`).stdout)).toBe(one.version);
    });
  }
});

describe('package.json', () => {
  it.each(members.filter(isPrivate))('contains in %s the version in development', (member) => {
    expect(versionOf(read(`${member}/package.json`))).toBe(version);
  });

  // Changesets raise the version of published packages in the commit of a release.
  it.each(members.filter((member) => !isPrivate(member)))(
    'contains in %s the version of the newest release, or of the release in progress',
    (member) => {
      expect([releases.at(-1)?.version, version]).toContain(versionOf(read(`${member}/package.json`)));
    },
  );
});

describe('list of published packages', () => {
  const published = listPublishedPackageFolderNames();

  it('equals the group of packages whose versions changesets increases together', () => {
    const { fixed } = JSON.parse(read('.changeset/config.json')) as { fixed: string[][] };
    expect(fixed.map((group) => group.toSorted())).toEqual([published.map((name) => `@switchboard/${name}`)]);
  });

  it('equals the list that the tests of packed packages install', () => {
    expect(sharedPackages).toEqual(published);
  });

  it('equals the list in docs/packages.md', () => {
    const rows = [...read('docs/packages.md').matchAll(/^\| \[`@switchboard\/([a-z0-9]+)`\]/gm)].map(
      ([, name]) => name,
    );
    expect(rows.toSorted()).toEqual(published);
  });
});

describe('release', () => {
  it.each([
    ['platform', serviceRelease],
    ['queue', queueRelease],
    ['webhooks', webhookRelease],
  ])('names in %s the version in development and the newest release', (_, release) => {
    expect(release).toEqual({ version, previous: releases.at(-1)?.version });
  });
});

describe('migrations', () => {
  it('name no oldest release that is newer than the version in development', () => {
    const named = listMigrations().flatMap((path) => {
      const oldest = /^-- *oldest release: *(.*)$/im.exec(read(path))?.[1];
      return oldest === undefined ? [] : [[path, oldest] as const];
    });
    expect(named.filter(([, oldest]) => compare(oldest, version) > 0)).toEqual([]);
  });

  it('have unique numbers within a package', () => {
    const numbers = listMigrations()
      .filter((path) => path.startsWith('packages/'))
      .map((path) => path.replace(/_\w+\.sql$/, ''));
    expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([]);
  });
});
