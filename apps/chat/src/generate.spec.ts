import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { generateFiles } from './generate.js';

describe('generate', () => {
  it('produces files that equal the committed files', async () => {
    const committed = (path: string) => readFile(fileURLToPath(new URL(path, import.meta.url)), 'utf8');
    const generated = generateFiles();
    expect(await committed('../openapi.json')).toBe(generated.openApi);
    expect(await committed('../../../docs/errors/chat.md')).toBe(generated.errorPages);
    expect(generated.configurationTable).not.toContain('development-pepper');
  });
});
