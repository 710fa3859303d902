import { describe, expect, it } from 'vitest';
import { isAdmitted, matchesPattern } from './event-filters.js';

describe('matchesPattern', () => {
  it.each([
    ['push_commits', 'push_commits', true],
    ['push_commits', 'push*', true],
    ['push_commits', '*commits', true],
    ['push_commits', 'p*_*s', true],
    ['push_commits', '*', true],
    ['', '*', true],
    ['', '', true],
    ['push', 'pus?', true],
    ['push', 'push?', false],
    ['push', 'p', false],
    ['push', 'Push', false],
    ['push', 'p[a-u]sh', true],
    ['push', 'p[!a-t]sh', true],
    ['push', 'p[!u]sh', false],
    ['a]b', 'a[]]b', true],
    ['a[b', 'a[b', true],
    ['note hook.x', 'note hook.?', true],
  ])('compares %j with %j', (text, pattern, expected) => {
    expect(matchesPattern(text, pattern)).toBe(expected);
  });

  it('takes little time for patterns with many asterisks', () => {
    expect(matchesPattern('a'.repeat(100), `${'a*'.repeat(90)}b`)).toBe(false);
  });
});

describe('isAdmitted', () => {
  it('admits listed events that are not excluded', () => {
    expect(isAdmitted('push', {})).toBe(true);
    expect(isAdmitted('push', { only_events: [] })).toBe(false);
    expect(isAdmitted('push', { only_events: ['issue*', 'pu*'] })).toBe(true);
    expect(isAdmitted('push', { only_events: ['issue*'] })).toBe(false);
    expect(isAdmitted('push', { only_events: ['*'], exclude_events: ['pu*'] })).toBe(false);
  });
});
