import { readFile } from 'node:fs/promises';
import { describe, expect, it, vi } from 'vitest';
import { createModelRegistry } from '../src/engine/declaration/model-registry.js';
import { describeModel } from './support/describe-model.js';
import { shelf, shelfTable } from './support/test-model.js';

const root = new URL('../../../', import.meta.url);
const read = (path: string): Promise<string> => readFile(new URL(path, root), 'utf8');

describe('docs/adding-a-model.md', () => {
  it('contains code blocks that equal the files named above them', async () => {
    const guide = await read('docs/adding-a-model.md');
    const shown = [...guide.matchAll(/`([^`\n]+\.(?:ts|prisma|sql))`[^`]*\n\n```(?:ts|prisma|sql)\n([^]*?)\n```/g)];
    expect(shown).toHaveLength(4);
    for (const [, path = '', block = ''] of shown) expect(await read(path)).toContain(block);
  });
});

vi.mock('../src/models/index.js', async (original) => {
  const { modelRegistry } = await original<typeof import('../src/models/index.js')>();
  const { shelf: known } = await import('./support/test-model.js');
  return { modelRegistry: createModelRegistry([...modelRegistry.models, known]) };
});

describeModel(shelf, {
  prepare: async ({ inventory }) => {
    await inventory.database.query(shelfTable);
  },
  surroundings: [{ name: 'site', path: '/api/dcim/sites/', body: { name: 'Amsterdam', slug: 'amsterdam' } }],
  create: ({ site }) => [
    { name: 'Delta 10', site, boards: 6 },
    { name: 'Delta 2', material: 'wood', tags: [] },
    { name: 'Echo' },
  ],
  patch: { body: { name: 'Renamed' }, shown: { name: 'Renamed', display: 'Renamed' } },
  nullable: { field: 'site', value: { slug: 'amsterdam' }, shown: { name: 'Amsterdam' } },
  filters: [
    { query: 'site=amsterdam', finds: [0] },
    { query: 'material=wood', finds: [1] },
    { query: 'boards__gt=4', finds: [0] },
    { query: 'q=delta', finds: [0, 1] },
  ],
});
