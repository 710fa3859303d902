import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

const folders = ['apps/chat', 'apps/inventory', 'bench', 'docker', 'packages', 'test', 'tools'];

const ignoredFolders = new Set(['node_modules', 'dist', 'generated', '.data']);

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return ignoredFolders.has(entry.name) ? [] : filesBelow(path);
    return /\.(?:ts|mjs|cjs)$/.test(entry.name) ? [path] : [];
  });
}

/** Returns the docstrings that begin with What, Who, Whom, Whose, Where or How, with their locations in the file. */
function clausesOf(path: string, text: string): string[] {
  return [...text.matchAll(/^[ \t]*\/\*\*[\s*]*((?:What|Who|Whom|Whose|Where|How)\b.*)/gm)].map(
    ([, found = '']) => `${path}: ${found}`,
  );
}

describe('docstring lint', () => {
  it.each(folders)('accepts all docstrings of %s', (folder) => {
    const found = filesBelow(folder).flatMap((path) => clausesOf(path, readFileSync(join(root, path), 'utf8')));
    expect(found).toEqual([]);
  });

  it('detects a relative clause at the beginning of docstrings in one line, several lines and members', () => {
    const text =
      '/** What it is. */\n/**\n * Who asks.\n */\n  /** How often. */\n/** Returns what it is. */\n// What it is.';
    expect(clausesOf('a.ts', text)).toHaveLength(3);
  });
});
