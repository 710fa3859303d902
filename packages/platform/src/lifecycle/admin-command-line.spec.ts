import { describe, expect, it } from 'vitest';
import { getAdminCommandLine, describeConnectionError } from './admin-command-line.js';

it.each([
  ['/app/main.mjs', 'node admin.mjs'],
  ['/app/admin.mjs', 'node admin.mjs'],
  ['/home/me/switchboard/apps/chat/dist/main.js', 'npm run admin -- chat'],
])('admin suggests the command that is similar to %s', (program, command) => {
  expect(getAdminCommandLine('chat', program)).toBe(command);
});

describe('describeConnectionError', () => {
  const errorWith = (message: string, properties: object): Error => Object.assign(new Error(message), properties);
  const refused = errorWith('connect ECONNREFUSED 127.0.0.1:1', { code: 'ECONNREFUSED' });
  const refusedTwice = Object.assign(new AggregateError([refused, refused]), { code: 'ECONNREFUSED' });

  it.each([
    ['a refused connection', refused, /: connect ECONNREFUSED 127\.0\.0\.1:1\. Check DATABASE_URL/],
    [
      'refused connections to two addresses',
      refusedTwice,
      /: connect ECONNREFUSED 127\.0\.0\.1:1, connect ECONNREFUSED/,
    ],
    ['a rejected password', errorWith('password\nrejected', { code: '28P01' }), /: password rejected\. Check/],
    ['an unknown database', errorWith('database "a" does not exist', { code: '3D000' }), /"a" does not exist\. Check/],
  ])('returns a one-line description for %s', (_, error, line) => {
    expect(describeConnectionError(error)).toMatch(line);
    expect(describeConnectionError(error)).not.toContain('\n');
  });

  it.each([new TypeError('a defect'), errorWith('syntax error', { code: '42601', severity: 'ERROR' }), 'text'])(
    'returns null for %s',
    (error) => {
      expect(describeConnectionError(error)).toBeNull();
    },
  );
});
