import { describe, expect, it } from 'vitest';
import { createWebhookEventFilter, createWildcardMatcher } from './webhook-event-filters.js';

describe('createWildcardMatcher', () => {
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
    ['a]', 'a[]', false],
    ['a[]', 'a[]', true],
    ['a[!]', 'a[!]', true],
    ['note hook.x', 'note hook.?', true],
  ])('compares the pattern %j with the text %j', (text, pattern, expected) => {
    expect(createWildcardMatcher(pattern)(text)).toBe(expected);
  });

  it('takes little time for patterns with many asterisks', () => {
    expect(createWildcardMatcher(`${'a*'.repeat(90)}b`)('a'.repeat(100))).toBe(false);
  });
});

describe('createWebhookEventFilter', () => {
  it('accepts the events in only_events unless exclude_events contains the event', () => {
    expect(createWebhookEventFilter({})('push')).toBe(true);
    expect(createWebhookEventFilter({ only_events: [] })('push')).toBe(false);
    expect(createWebhookEventFilter({ only_events: ['issue*', 'pu*'] })('push')).toBe(true);
    expect(createWebhookEventFilter({ only_events: ['issue*'] })('push')).toBe(false);
    expect(createWebhookEventFilter({ only_events: ['*'], exclude_events: ['pu*'] })('push')).toBe(false);
  });

  it('takes little time for many events and patterns', () => {
    const isAdmitted = createWebhookEventFilter({ exclude_events: Array<string>(100).fill('['.repeat(200)) });
    const start = process.cpuUsage();
    expect(Array<string>(50_000).fill('firing').every(isAdmitted)).toBe(true);
    const { user } = process.cpuUsage(start);
    expect(user / 1000).toBeLessThan(5_000);
  });
});
