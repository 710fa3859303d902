import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const matches = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, found = '']) => found);

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly scripts: Record<string, string>;
  readonly engines: Record<string, string>;
}

const manifest = (path: string): Manifest => JSON.parse(read(join(path, 'package.json'))) as Manifest;
// A folder of another branch may remain with its ignored files only, and is no member.
const members = ['apps', 'packages']
  .flatMap((group) => readdirSync(join(root, group)).map((name) => `${group}/${name}`))
  .filter((member) => existsSync(join(root, member, 'package.json')));

const waysIn = ['README.md', 'AGENTS.md', 'CONTRIBUTING.md'];
const textOfWaysIn = (): string => waysIn.map(read).join('\n');

describe('README.md, AGENTS.md and CONTRIBUTING.md', () => {
  it('name every command of package.json and no other command', () => {
    const scripts = Object.keys(manifest('.').scripts);
    const named = matches(textOfWaysIn(), /npm (?:run )?([a-z:-]+)/g);
    expect(new Set(named)).toEqual(new Set(scripts));
  });

  it('name only existing folders and files', () => {
    const paths = matches(textOfWaysIn(), /`((?:apps|packages|prisma|docker|bench|docs|tools)\/[\w./-]+)`/g);
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('list every package', () => {
    const readme = read('README.md');
    expect(members.filter((member) => !readme.includes(`\`${member}\``))).toEqual([]);
  });

  it('state the Node version of the packages', () => {
    for (const member of ['.', ...members]) expect(manifest(member).engines.node, member).toBe('>=20.19.0');
    expect(read('README.md')).toContain('Node 20.19 or newer');
  });

  it('link the READMEs of both services, the glossary and the configuration', () => {
    for (const page of ['apps/chat/README.md', 'apps/inventory/README.md', 'docs/glossary.md']) {
      for (const start of ['README.md', 'AGENTS.md']) expect(read(start), `${start}: ${page}`).toContain(page);
    }
    expect(read('README.md')).toContain('(docs/configuration.md)');
    expect(read('README.md').split('\n').length).toBeLessThanOrEqual(170);
  });

  it('contain at most 120 lines of rules for contributors', () => {
    expect(read('AGENTS.md').split('\n').length).toBeLessThanOrEqual(120);
  });
});

describe('documents of the repository', () => {
  it('include a README for every workspace member', () => {
    expect(members.filter((member) => !existsSync(join(root, member, 'README.md')))).toEqual([]);
  });

  it('have no broken relative link', () => {
    const pages = [
      ...waysIn,
      'SECURITY.md',
      'CHANGELOG.md',
      ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
        .filter((page) => page.endsWith('.md') && !page.startsWith('adr/'))
        .map((page) => `docs/${page}`),
      ...members.map((member) => `${member}/README.md`),
      ...readdirSync(join(root, 'docs/adr')).map((page) => `docs/adr/${page}`),
    ];
    const broken = pages.flatMap((page) =>
      matches(read(page), /\]\((?!https?:|#)([^)#]+)/g)
        .filter((link) => !existsSync(join(root, dirname(page), link)))
        .map((link) => `${page}: ${link}`),
    );
    expect(broken).toEqual([]);
  });

  it('include decision records that are numbered without gaps, each with a status', () => {
    const pages = readdirSync(join(root, 'docs/adr')).toSorted();
    expect(pages.map((page) => Number(page.slice(0, 4)))).toEqual(pages.map((_, index) => index + 1));
    for (const page of pages) expect(read(`docs/adr/${page}`), page).toMatch(/^# \d{4} .+\n\n\*\*Status\*\*: /);
  });
});
