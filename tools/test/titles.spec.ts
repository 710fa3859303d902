import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listSpecFiles, listTestTitles } from '../test-titles.mjs';

const root = resolve(import.meta.dirname, '../..');

const specFiles = ['apps', 'bench', 'packages', 'test', 'tools'].flatMap((folder) => listSpecFiles(root, folder));

/** Regular expression of a test title that begins with a preposition or a form of "to be". */
const prepositionOrCopula =
  /^(?:to|of|in|at|that|is|are|was|were|alone|without|with|nor|for|by|on|from|when|while|after)\b/i;

/** Returns the titles in a file that begin with a preposition or a form of "to be". */
const refusedTitles = (text: string): string[] =>
  listTestTitles(text)
    .map(({ title }) => title)
    .filter((title) => prepositionOrCopula.test(title));

describe('test titles', () => {
  it('never begin with a preposition or a copula', () => {
    const found = specFiles.flatMap((path) =>
      refusedTitles(readFileSync(join(root, path), 'utf8')).map((title) => `${path}: ${title}`),
    );
    expect(found).toEqual([]);
  });

  it('begin with a verb in the tests that run for every model', () => {
    const methods = /^(?:GET|POST|PUT|PATCH|DELETE|OPTIONS)\b|^every method|^unknown methods/;
    const paths = ['describe-model.ts', 'describe-read-only.ts'].map((name) => `apps/inventory/test/support/${name}`);
    const titles = paths.flatMap((path) => listTestTitles(readFileSync(join(root, path), 'utf8')));
    expect(titles.length).toBeGreaterThan(20);
    expect(titles.filter(({ title }) => methods.test(title))).toEqual([]);
  });

  it('belong to all files that define tests, also without the ending .spec.ts', () => {
    expect(specFiles).toEqual(
      expect.arrayContaining([
        'apps/inventory/test/support/describe-model.ts',
        'packages/queue/test/describe-adapter.ts',
        'test/hostile/subjects-of-attacks.ts',
        'test/races/race-suite.ts',
      ]),
    );
  });

  it('cause an error in strings, in templates, after the rows of it.each, and in functions such as itOfEngine', () => {
    const text =
      "it('is one', () => {});\nit.each([1])('of %s', () => {});\nit.skip(\n  `in ${a}`,\n () => {});\n" +
      "test('from one', () => {});\nitOfEngine('with one', () => {});\nit('island', () => {});\n" +
      "it('returns 1', () => {});";
    expect(refusedTitles(text)).toEqual(['is one', 'of %s', 'in ${a}', 'from one', 'with one']);
  });
});
