import { describe, expect, it } from 'vitest';
import { type CsrfCheck, findCsrfProblem } from './csrf.js';

const good: CsrfCheck = { method: 'POST', cookie: 'token', presented: () => 'token' };
const ownOrigin = 'https://inventory.example.com';

describe('findCsrfProblem', () => {
  it.each(['GET', 'HEAD', 'OPTIONS'])('allows %s without a token', (method) => {
    const origin = 'https://evil.example.com';
    expect(findCsrfProblem({ method, cookie: undefined, presented: () => undefined, origin, ownOrigin })).toBeNull();
  });

  it.each<[string, Partial<CsrfCheck>]>([
    ['the token of the cookie', {}],
    ['the token of the session', { expected: 'token' }],
    ['a request from its own origin', { origin: ownOrigin, ownOrigin }],
    ['a request without an origin', { ownOrigin }],
    ['any origin when none is checked', { origin: 'https://evil.example.com' }],
  ])('allows %s', (_name, changes) => {
    expect(findCsrfProblem({ ...good, ...changes })).toBeNull();
  });

  it.each<[string, Partial<CsrfCheck>]>([
    ['foreign origin', { origin: 'https://evil.example.com', ownOrigin, cookie: undefined }],
    ['no cookie', { cookie: undefined, presented: () => undefined }],
    ['no cookie', { cookie: '' }],
    ['no token', { presented: () => undefined }],
    ['no token', { presented: () => '' }],
    ['wrong token', { presented: () => 'other' }],
    ['wrong token', { expected: 'other' }],
  ])('returns "%s" for %j', (problem, changes) => {
    expect(findCsrfProblem({ ...good, ...changes })).toBe(problem);
  });
});
