import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCursorPage, createCursorQuerySchema, createPageQuerySchema } from './index.js';

const bounds = { defaultLimit: 50, maxLimit: 1000 };
const schema = createPageQuerySchema(bounds);
const base = 'http://127.0.0.1:8000/api/dcim/sites/';

describe('createPageQuerySchema', () => {
  it.each([
    [{ start: '0' }, { kind: 'cursor', start: 0, limit: 50 }],
    [
      { start: '7', limit: '0' },
      { kind: 'cursor', start: 7, limit: 1000 },
    ],
    [
      { start: '7', ordering: '' },
      { kind: 'cursor', start: 7, limit: 50 },
    ],
    [{ start: '' }, { kind: 'conflict', conflict: 'invalid_start' }],
    [{ start: '-1' }, { kind: 'conflict', conflict: 'invalid_start' }],
    [{ start: '1.5' }, { kind: 'conflict', conflict: 'invalid_start' }],
    [
      { start: '1', offset: '0' },
      { kind: 'conflict', conflict: 'start_with_offset' },
    ],
    [
      { start: '1', ordering: 'name' },
      { kind: 'conflict', conflict: 'start_with_ordering' },
    ],
    [
      { limit: '5', offset: '5', ordering: 'name' },
      { kind: 'offset', limit: 5, offset: 5 },
    ],
  ])('parses %j as %j', (query, expected) => {
    expect(schema.parse(query)).toEqual(expected);
  });
});

describe('createCursorQuerySchema', () => {
  it('returns the conflict invalid_start for a query string without start', () => {
    expect(createCursorQuerySchema(bounds).parse({})).toEqual({ kind: 'conflict', conflict: 'invalid_start' });
  });
});

describe('links of a page by id', () => {
  it('include a next page after the last id when the page is full', () => {
    const page = createCursorPage(`${base}?start=0&limit=2&q=x`, { start: 0, limit: 2 }, [3, 9], ['a', 'b']);
    expect(page).toEqual({ count: null, next: `${base}?limit=2&q=x&start=10`, previous: null, results: ['a', 'b'] });
  });

  it('end when a page is not full', () => {
    expect(createCursorPage(base, { start: 0, limit: 2 }, [3], []).next).toBeNull();
    expect(createCursorPage(base, { start: 0, limit: 2 }, [], []).next).toBeNull();
  });

  it('lead to every row exactly once, for any gaps between ids', () => {
    const ids = fc.uniqueArray(fc.integer({ min: 1, max: 1000 }), { maxLength: 60 });
    fc.assert(
      fc.property(ids, fc.integer({ min: 1, max: 20 }), (unsorted, limit) => {
        const all = unsorted.toSorted((a, b) => a - b);
        const seen: number[] = [];
        let url: string | null = `${base}?start=0&limit=${limit}`;
        while (url !== null) {
          const query = schema.parse(Object.fromEntries(new URL(url).searchParams));
          if (query.kind !== 'cursor') throw new Error('The link does not page by id');
          const { start } = query;
          const page = all.filter((id) => id >= start).slice(0, query.limit);
          seen.push(...page);
          url = createCursorPage(url, query, page, page).next;
        }
        expect(seen).toEqual(all);
      }),
    );
  });
});
