import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

interface Guide {
  /** Number of code blocks in the guide. Every block must occur in the file that the guide names before the block. */
  readonly blocks: number;
  /** Regular expression that finds the guide's example in source files. */
  readonly example: RegExp;
  /** Folders in which the guide must name every file that contains the example. */
  readonly folders: readonly string[];
  /** Folder that belongs entirely to the example. The guide need not name the single files in this folder. */
  readonly own?: string;
}

const guides: Readonly<Record<string, Guide>> = {
  'docs/adding-a-chat-endpoint.md': {
    blocks: 9,
    example: /features\/saved-snippets\//,
    folders: ['apps/chat/src'],
    own: 'apps/chat/src/features/saved-snippets',
  },
  'docs/adding-an-event-type.md': {
    blocks: 9,
    example: /savedSnippet(?:Events|SnapshotParts)/,
    folders: ['apps/chat/src'],
    own: 'apps/chat/src/features/saved-snippets',
  },
  'docs/adding-an-integration.md': {
    blocks: 3,
    example: /\bnetbox\b/,
    folders: ['apps/chat/src'],
    own: 'apps/chat/src/features/integrations/fixtures/netbox',
  },
  'docs/adding-a-webhook-destination.md': {
    blocks: 6,
    example: /chat[_ ]?destination|destinations\/chat\/|'\.\/chat\/index/i,
    folders: ['apps/inventory/src', 'apps/inventory/test/support', 'test/races'],
    own: 'apps/inventory/src/destinations/chat',
  },
  'docs/adding-a-variable.md': {
    blocks: 3,
    example: /CHANNEL_TRAFFIC_PERIOD_MS/,
    folders: ['apps', 'packages', 'docker', 'docs'],
  },
};

const ignoredFolders = new Set(['node_modules', 'dist', 'generated']);

function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return ignoredFolders.has(entry.name) ? [] : filesBelow(path);
    return /\.(?:ts|mjs|md|ya?ml)$/.test(entry.name) ? [path] : [];
  });
}

/** Returns the code blocks of a guide, with the path of the last file that the text before the block names. */
function blocksOf(text: string): { path: string; block: string }[] {
  const found: { path: string; block: string }[] = [];
  let path = '';
  for (const [, named, block] of text.matchAll(
    /`([\w./-]+\.(?:ts|prisma|sql))`|^```(?:ts|prisma|sql)\n([^]*?)\n```$/gm,
  )) {
    if (named !== undefined) path = named;
    if (block !== undefined) found.push({ path, block });
  }
  return found;
}

describe.each(Object.entries(guides))('%s', (page, { blocks, example, folders, own = ' ' }) => {
  it('contains code blocks that equal the files named above them', () => {
    const shown = blocksOf(read(page));
    expect(shown).toHaveLength(blocks);
    for (const { path, block } of shown) expect(read(path), path).toContain(block);
  });

  it('names only files and folders that exist', () => {
    const named = [...read(page).matchAll(/`((?:apps|packages|prisma|docker|docs|tools)\/[\w./-]+)`/g)];
    expect(named.map(([, path = '']) => path).filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('names every file that mentions the example of the guide', () => {
    const text = read(page);
    const unnamed = folders
      .flatMap(filesBelow)
      .filter((path) => path !== page && !path.startsWith(own) && example.test(read(path)))
      .filter((path) => !text.includes(`\`${path}\``));
    expect(unnamed).toEqual([]);
  });

  it('has links from README.md, AGENTS.md and CONTRIBUTING.md', () => {
    for (const start of ['README.md', 'AGENTS.md', 'CONTRIBUTING.md']) expect(read(start), start).toContain(page);
  });
});
