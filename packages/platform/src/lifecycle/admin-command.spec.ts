import { expect, it } from 'vitest';
import { adminCommandLine } from './admin-command.js';

it.each([
  ['/app/main.mjs', 'node admin.mjs'],
  ['/app/admin.mjs', 'node admin.mjs'],
  ['/home/me/switchboard/apps/chat/dist/main.js', 'npm run admin -- chat'],
])('admin suggests the command that is similar to %s', (program, command) => {
  expect(adminCommandLine('chat', program)).toBe(command);
});
