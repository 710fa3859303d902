import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

const folders = ['apps', 'bench', 'packages', 'test', 'tools'];

const ignoredFolders = new Set(['node_modules', 'dist', 'generated', '.data', 'titles.spec.ts']);

/**
 * Regular expression of a test title that begins with a preposition or a form of "to be". The title follows `it(`,
 * `it.skip(`, or the rows of `it.each(…)(`.
 */
const REFUSED =
  /(?:\b(?:it|test)(?:\.\w+)?|\))\(\s*(['"`])((?:to|of|in|at|that|is|are|was|were|alone|without|with|nor|for|by|on|from|when|while|after)\b.*?)\1,/gis;

function specsBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (ignoredFolders.has(entry.name)) return [];
    if (entry.isDirectory()) return specsBelow(path);
    return /\.spec\.ts$|\/test\/(.*\/)?describe-[^/]+\.ts$/.test(path) ? [path] : [];
  });
}

function refusedTitles(text: string): string[] {
  return [...text.matchAll(REFUSED)].map(([, , title = '']) => title);
}

describe('test titles', () => {
  it('never begin with a preposition or a copula', () => {
    const found = folders
      .flatMap(specsBelow)
      .flatMap((path) => refusedTitles(readFileSync(join(root, path), 'utf8')).map((title) => `${path}: ${title}`));
    expect(found).toEqual([]);
  });

  it('cause an error in strings, in templates, and after the rows of it.each', () => {
    const text =
      "it('is one', () => {});\nit.each([1])('of %s', () => {});\nit.skip(\n  `in ${a}`,\n () => {});\n" +
      "test('from one', () => {});\nit('island', () => {});\nit('returns 1', () => {});";
    expect(refusedTitles(text)).toEqual(['is one', 'of %s', 'in ${a}', 'from one']);
  });
});
