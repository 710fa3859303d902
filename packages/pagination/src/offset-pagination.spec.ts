import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createOffsetPage, createOffsetQuerySchema, createPageUrl } from './index.js';

const bounds = { defaultLimit: 50, maxLimit: 1000 };
const schema = createOffsetQuerySchema(bounds);
const base = 'http://127.0.0.1:8000/api/dcim/sites/';

describe('limit and offset', () => {
  it.each([
    [{}, { limit: 50, offset: 0 }],
    [
      { limit: '10', offset: '20' },
      { limit: 10, offset: 20 },
    ],
    [{ limit: '0' }, { limit: 1000, offset: 0 }],
    [{ limit: '5000' }, { limit: 1000, offset: 0 }],
    [
      { limit: '-1', offset: '-1' },
      { limit: 50, offset: 0 },
    ],
    [
      { limit: 'ten', offset: '' },
      { limit: 50, offset: 0 },
    ],
    [{ limit: ['1', '2'] }, { limit: 2, offset: 0 }],
    [{ offset: '99999999999999999999999' }, { limit: 50, offset: Number.MAX_SAFE_INTEGER }],
  ])('parse %j as %j', (query, expected) => {
    expect(schema.parse(query)).toEqual(expected);
  });

  it('accept any text, and result in values within the bounds', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (limit, offset) => {
        const query = schema.parse({ limit, offset });
        expect(query.limit).toBeGreaterThanOrEqual(1);
        expect(query.limit).toBeLessThanOrEqual(1000);
        expect(Number.isSafeInteger(query.offset) && query.offset >= 0).toBe(true);
      }),
    );
  });

  it('limit the default page size to the maximum page size', () => {
    expect(createOffsetQuerySchema({ defaultLimit: 50, maxLimit: 20 }).parse({})).toEqual({ limit: 20, offset: 0 });
  });

  it('reject a maximum page size below 1', () => {
    expect(() => createOffsetQuerySchema({ defaultLimit: 50, maxLimit: 0 })).toThrow(RangeError);
  });
});

describe('links of a page by offset', () => {
  it('contain all parameters sorted by name, and retain the order of repeated parameters', () => {
    const page = createOffsetPage(`${base}?tag=b&tag=a&q=caf%C3%A9%20x&limit=2`, { limit: 2, offset: 4 }, 7, []);
    expect(page.next).toBe(`${base}?limit=2&offset=6&q=caf%C3%A9+x&tag=b&tag=a`);
    expect(page.previous).toBe(`${base}?limit=2&offset=2&q=caf%C3%A9+x&tag=b&tag=a`);
  });

  it('always include the limit', () => {
    expect(createOffsetPage(base, { limit: 50, offset: 0 }, 51, []).next).toBe(`${base}?limit=50&offset=50`);
  });

  it('drop an offset of zero from the previous page', () => {
    expect(createOffsetPage(`${base}?offset=1`, { limit: 2, offset: 1 }, 9, []).previous).toBe(`${base}?limit=2`);
  });

  it('include a previous page for an offset beyond the end', () => {
    const page = createOffsetPage(`${base}?offset=100`, { limit: 10, offset: 100 }, 5, []);
    expect(page).toEqual({ count: 5, next: null, previous: `${base}?limit=10&offset=90`, results: [] });
  });

  it('encode the same characters as Python', () => {
    expect(createPageUrl(`${base}?q=~*'()!`, {})).toBe(`${base}?q=~%2A%27%28%29%21`);
  });

  it('lead to every row exactly once', () => {
    const rows = fc.array(fc.integer(), { maxLength: 60 });
    fc.assert(
      fc.property(rows, fc.integer({ min: 1, max: 20 }), (all, limit) => {
        const seen: number[] = [];
        let url: string | null = `${base}?limit=${limit}`;
        while (url !== null) {
          const query = schema.parse(Object.fromEntries(new URL(url).searchParams));
          const results = all.slice(query.offset, query.offset + query.limit);
          seen.push(...results);
          url = createOffsetPage(url, query, all.length, results).next;
        }
        expect(seen).toEqual(all);
      }),
    );
  });

  it('lead to the previous page, and from there back to the original page', () => {
    const position = fc.record({ limit: fc.integer({ min: 1, max: 50 }), page: fc.integer({ min: 1, max: 50 }) });
    fc.assert(
      fc.property(position, ({ limit, page }) => {
        const query = { limit, offset: limit * page };
        const { previous } = createOffsetPage(base, query, Number.MAX_SAFE_INTEGER, []);
        const before = schema.parse(Object.fromEntries(new URL(previous ?? '').searchParams));
        const { next } = createOffsetPage(previous ?? '', before, Number.MAX_SAFE_INTEGER, []);
        expect(schema.parse(Object.fromEntries(new URL(next ?? '').searchParams))).toEqual(query);
      }),
    );
  });
});
