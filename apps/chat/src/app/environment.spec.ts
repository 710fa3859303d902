import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { chatEnvironmentSchema, readChatServiceConfig } from './environment.js';

it('readChatServiceConfig accepts the configuration file of docs/operate/configuration.md', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/operate/configuration.md'), 'utf8');
  const example = /^```ini[^\n]*\n(# Settings of chat\n[^]*?)^```$/m.exec(page)?.[1] ?? '';
  const folder = mkdtempSync(join(tmpdir(), 'documented-configuration-'));
  writeFileSync(join(folder, 'url'), 'postgres://h/d\n');
  const file = join(folder, 'chat.env');
  writeFileSync(file, example.replace(/^(DATABASE_URL_FILE=).*$/m, `$1${join(folder, 'url')}`));
  expect(readChatServiceConfig({ CONFIG_FILE: file })).toMatchObject({
    TRUST_PROXY: 1,
    DATABASE_URL: 'postgres://h/d',
    MAIL_FROM: 'Example Chat <chat@example.com>',
  });
  rmSync(folder, { recursive: true });
});

it('no variable of chat has the name of another variable plus _FILE, which would be ambiguous', () => {
  const names = Object.keys(chatEnvironmentSchema.shape);
  expect(names.filter((name) => names.includes(`${name}_FILE`))).toEqual([]);
});
