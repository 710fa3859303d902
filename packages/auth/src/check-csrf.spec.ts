import { describe, expect, it } from 'vitest';
import { type CsrfCheckRequest, findCsrfRejectionReason } from './check-csrf.js';

const good: CsrfCheckRequest = { method: 'POST', cookie: 'token', presented: () => 'token' };
const ownOrigin = 'https://inventory.example.com';

describe('findCsrfRejectionReason', () => {
  it.each(['GET', 'HEAD', 'OPTIONS'])('returns null for a %s request without a token', (method) => {
    const origin = 'https://evil.example.com';
    expect(
      findCsrfRejectionReason({ method, cookie: undefined, presented: () => undefined, origin, ownOrigin }),
    ).toBeNull();
  });

  it.each<[string, Partial<CsrfCheckRequest>]>([
    ['the token of the cookie', {}],
    ['the token of the session', { expected: 'token' }],
    ['a request from its own origin', { origin: ownOrigin, ownOrigin }],
    ['a request without an origin', { ownOrigin }],
    ['any origin when none is checked', { origin: 'https://evil.example.com' }],
  ])('returns null for %s', (_name, changes) => {
    expect(findCsrfRejectionReason({ ...good, ...changes })).toBeNull();
  });

  it.each<[string, string, Partial<CsrfCheckRequest>]>([
    [
      'foreign origin',
      'a request from another origin',
      { origin: 'https://evil.example.com', ownOrigin, cookie: undefined },
    ],
    ['no cookie', 'a request without a cookie', { cookie: undefined, presented: () => undefined }],
    ['no cookie', 'an empty cookie', { cookie: '' }],
    ['no token', 'a request without a token', { presented: () => undefined }],
    ['no token', 'an empty token', { presented: () => '' }],
    ['wrong token', 'a token other than the cookie', { presented: () => 'other' }],
    ['wrong token', 'a token other than that of the session', { expected: 'other' }],
  ])('returns "%s" for %s', (problem, _name, changes) => {
    expect(findCsrfRejectionReason({ ...good, ...changes })).toBe(problem);
  });
});
