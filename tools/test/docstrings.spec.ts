import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

const folders = ['apps/chat', 'apps/inventory', 'bench', 'docker', 'packages', 'prisma', 'test', 'tools'];

const ignoredFolders = new Set(['node_modules', 'dist', 'generated', '.data']);

const isSource = (name: string): boolean => /\.(?:ts|mjs|cjs|prisma)$/.test(name);

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return ignoredFolders.has(entry.name) ? [] : filesBelow(path);
    return isSource(entry.name) ? [path] : [];
  });
}

/** Returns the source files in the top folder of the repository, such as the configuration of the test runner. */
const topLevelFiles = (): string[] => readdirSync(root).filter(isSource);

/**
 * Returns the docstrings that begin with What, Who, Whom, Whose, Where or How, with the path of their file. In a Prisma
 * schema, these are the comments with three slashes.
 */
function clausesOf(path: string, text: string): string[] {
  return [...text.matchAll(/^[ \t]*(?:\/\*\*[\s*]*|\/\/\/ )((?:What|Who|Whom|Whose|Where|How)\b.*)/gm)].map(
    ([, found = '']) => `${path}: ${found}`,
  );
}

const clausesIn = (paths: readonly string[]): string[] =>
  paths.flatMap((path) => clausesOf(path, readFileSync(join(root, path), 'utf8')));

describe('docstring lint', () => {
  it.each(folders)('accepts all docstrings of %s', (folder) => {
    expect(clausesIn(filesBelow(folder))).toEqual([]);
  });

  it('accepts all docstrings of the files in the top folder', () => {
    expect(topLevelFiles()).toEqual(expect.arrayContaining(['.dependency-cruiser.cjs', 'vitest.config.ts']));
    expect(clausesIn(topLevelFiles())).toEqual([]);
  });

  it('detects a relative clause at the beginning of docstrings in one line, several lines, members and schemas', () => {
    const text =
      '/** What it is. */\n/**\n * Who asks.\n */\n  /** How often. */\n  /// Where it is.\n' +
      '/** Returns what it is. */\n// What it is.';
    expect(clausesOf('a.ts', text)).toHaveLength(4);
  });
});
