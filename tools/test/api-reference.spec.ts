import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'switchboard-api-reference-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('tools/api-reference/main.mjs', () => {
  it('writes a page for each export of each entry point of a package, without a warning', async () => {
    const program = join(import.meta.dirname, '../api-reference/main.mjs');
    const { stderr } = await run(process.execPath, [program, 'queue', '--out', folder]);
    expect(stderr).not.toMatch(/warning|error/i);
    for (const page of [
      'index',
      'classes/index.Outbox',
      'classes/testing.TestClock',
      'functions/testing.createTestQueue',
    ]) {
      expect(existsSync(join(folder, `${page}.html`)), page).toBe(true);
    }
  }, 300_000);
});
