import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listSpecFiles, listTestTitles } from '../test-titles.mjs';

const root = resolve(import.meta.dirname, '../..');

/** Expected numbers of rows and rules in each section of a service's conformance document. */
const sections: Record<string, Record<string, number>> = {
  chat: {
    '1': 4,
    '2.1': 19,
    '2.2': 12,
    '2.3': 9,
    '2.4': 5,
    '2.5': 6,
    '3': 8,
    '4': 4,
    '4.1': 38,
    '4.2': 3,
    '4.3': 4,
    '4.4': 2,
    '4.5': 3,
    '4.6': 3,
    '4.7': 13,
    '4.8': 2,
    '4.9': 2,
    '4.10': 2,
    '4.11': 3,
    '4.12': 2,
    '4.13': 2,
    '4.14': 2,
    '4.15': 1,
    '4.16': 2,
    '4.17': 2,
    '4.18': 1,
    '4.19': 1,
    '4.20': 13,
    '4.21': 1,
    '5': 5,
    // Five rules of the document, and two about the delivery of permission changes to event queues.
    '6': 7,
    '7': 6,
    '8': 9,
    '9': 4,
  },
  inventory: {
    '1': 3,
    '2': 11,
    '3': 4,
    // Eight rules of the document, and ten about endpoints and templates that it leaves to the contract.
    '4': 18,
    '4-query': 9,
    '4-pagination': 4,
    '4-related': 1,
    '5': 3,
    '6': 7,
    '7': 2,
    '8': 3,
    '9': 4,
  },
};

interface Row {
  /**
   * Id of a row in a conformance document. Comments cite the id. A new row gets the next number, and the numbers of
   * existing rows never change.
   */
  readonly id: string;
  readonly section: string;
  readonly rule: string;
  readonly tests: string[];
  /** Reason why Switchboard deviates from the rule in the conformance row; null if Switchboard meets the rule. */
  readonly reason: string | null;
}

/** Character that marks an unmet rule in the last cell of its conformance row. The reason follows the character. */
const UNMET = '—';
/** Text before the cited tests of an unmet rule, in the last cell of the conformance row. */
const OTHERWISE = ' Otherwise: ';

function rowsOf(app: string): Row[] {
  return readFileSync(join(root, `docs/conformance/${app}.md`), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2)
    .map((line) => {
      const [id = '', rule = '', shown = ''] = line
        .split('|')
        .slice(1, 4)
        .map((cell) => cell.trim());
      const section = /^[a-z]+-(.+)-\d+$/.exec(id)?.[1] ?? '';
      if (!shown.startsWith(UNMET)) return { id, section, rule, tests: shown.split('; '), reason: null };
      const [reason = '', tests] = shown.slice(UNMET.length).split(OTHERWISE);
      return { id, section, rule, tests: tests?.split('; ') ?? [], reason: reason.trim() };
    });
}

/** Names of folders without sources of the project. The search skips these folders, because they contain many files. */
const passedOver = new Set(['node_modules', 'dist', 'generated', '.data']);

/** Returns the paths of the TypeScript files below a folder. */
function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return passedOver.has(entry.name) ? [] : sourceFiles(path);
    return path.endsWith('.ts') ? [path] : [];
  });
}

/** All tests of the repository with their titles (`describe > it`), the paths and the texts of their files. */
const tests = ['apps', 'packages', 'tools']
  .flatMap((folder) => listSpecFiles(root, folder))
  .flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    return listTestTitles(text).map(({ describes, title }) => ({
      path,
      text,
      title: [...describes, title].join(' > '),
    }));
  });

/**
 * Tests that are declared with `it.each`. A conformance row may cite a test with the name of a case in place of `%s`.
 */
const withCases = tests.filter(({ title }) => title.includes('%s'));

/**
 * Returns true if a cited test title equals the title template of an `it.each` in which `%s` is replaced by the name of
 * a case.
 */
function hasCase(text: string, template: string, title: string): boolean {
  const [before = '', after = ''] = template.split('%s');
  if (!title.startsWith(before) || !title.endsWith(after)) return false;
  const name = title.slice(before.length, title.length - after.length);
  return text.includes(`'${name}'`) || text.includes(`"${name}"`);
}

/**
 * Returns the files that contain a cited test and whose name begins the citation. A citation is correct if the result
 * contains exactly one file.
 */
function filesOf(cited: string): string[] {
  const [file = '', ...titles] = cited.split(' > ');
  const title = titles.join(' > ');
  const isCited = (path: string): boolean => path === file || path.endsWith(`/${file}`);
  const found = [
    ...tests.filter((test) => test.title === title && isCited(test.path)),
    ...withCases.filter((test) => isCited(test.path) && test.title !== title && hasCase(test.text, test.title, title)),
  ];
  return [...new Set(found.map(({ path }) => path))];
}

describe.each(Object.keys(sections))('docs/conformance of %s', (app) => {
  it('contains the expected number of rows for each section', () => {
    const counted: Record<string, number> = {};
    for (const { section } of rowsOf(app)) counted[section] = (counted[section] ?? 0) + 1;
    expect(counted).toEqual(sections[app]);
  });

  it('contains a unique id in each row, which begins with the name of the service', () => {
    const ids = rowsOf(app).map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)]);
    expect(ids.filter((id) => !id.startsWith(`${app}-`))).toEqual([]);
  });

  it('contains each rule only once', () => {
    const rules = rowsOf(app).map(({ section, rule }) => `${section} ${rule}`);
    expect(rules).toEqual([...new Set(rules)]);
  });

  it('names only existing tests, by file, suites and title', () => {
    const cited = rowsOf(app).flatMap((row) => row.tests);
    expect(cited.filter((test) => filesOf(test).length !== 1)).toEqual([]);
  });

  it('detects a named test that is missing, or that is in another file or suite', () => {
    const [test = ''] = rowsOf(app)[0]?.tests ?? [];
    const [file = '', ...titles] = test.split(' > ');
    expect(filesOf(test)).toHaveLength(1);
    expect(filesOf(`other.spec.ts > ${titles.join(' > ')}`)).toEqual([]);
    expect(filesOf(`${file} > another suite > ${titles.at(-1)}`)).toEqual([]);
    expect(filesOf(`${test}, too`)).toEqual([]);
  });

  it('gives a reason in each row without a test', () => {
    const reasons = rowsOf(app).flatMap(({ section, rule, reason }) =>
      reason === null ? [] : [{ section, rule, reason }],
    );
    for (const row of reasons) expect(row).toMatchObject({ reason: expect.stringMatching(/^\S.{15,}\.$/) });
  });

  it('names tests for at least one row', () => {
    expect(rowsOf(app).filter(({ tests }) => tests.length > 0).length).toBeGreaterThan(0);
  });
});

describe('docs/conformance: chat feature levels', () => {
  const rows = readFileSync(join(root, 'docs/conformance/chat-feature-levels.md'), 'utf8')
    .split('\n')
    .filter((line) => /^\| \d/.test(line))
    .map((line) => {
      const [level = '', , state = '', where = ''] = line
        .split('|')
        .slice(1, 5)
        .map((cell) => cell.trim());
      return { level: Number(level), state, where };
    });

  it('have a row for every level from 263 to 486, in order', () => {
    const levels = [...new Set(rows.map(({ level }) => level))];
    expect(levels).toEqual(Array.from({ length: 486 - 263 + 1 }, (_, index) => 263 + index));
    expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(['done', 'not for us', 'missing', 'not read']));
  });

  it('name only identifiers that exist in the sources of chat', () => {
    const sources = sourceFiles(join(root, 'apps/chat/src'))
      .map((path) => readFileSync(path, 'utf8'))
      .join('\n');
    const names = rows
      .filter(({ state }) => state === 'done')
      .flatMap(({ where }) => [...where.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
    expect(names.filter((name) => !sources.includes(name))).toEqual([]);
  });
});
