import { describe, expect, it } from 'vitest';
import { IndexedJsonRows, JsonRowsBuilder } from './indexed-json-rows.js';
import { JsonBytes, serializeResponseBodyToChunks, createReadableResponseStream } from './json-byte-chunks.js';

const rowsOf = (count: number) =>
  IndexedJsonRows.fromSortedRows(
    Array.from({ length: count }, (_, index) => ({ id: index * 2, json: `{"id":${index * 2},"ä":1}` })),
  );

function textOf(chunks: Iterable<Buffer>): string {
  return Buffer.concat([...chunks]).toString('utf8');
}

describe('IndexedJsonRows.toJsonArray', () => {
  const rows = rowsOf(5);
  const ids = (changes: Parameters<IndexedJsonRows['toJsonArray']>[0]): unknown[] =>
    (JSON.parse(textOf(rows.toJsonArray(changes).chunks)) as { id: number }[]).map(({ id }) => id);

  it.each([
    ['shows all rows', {}, [0, 2, 4, 6, 8]],
    ['leaves rows out', { shows: (id: number) => id % 4 === 0 }, [0, 4, 8]],
    ['leaves all rows out', { shows: () => false }, []],
    [
      'replaces rows, and ignores other ids',
      {
        replaced: new Map([
          [8, '{"id":-8}'],
          [3, '{"id":-3}'],
        ]),
      },
      [0, 2, 4, 6, -8],
    ],
    [
      'shows a replaced row that is left out otherwise',
      { shows: (id: number) => id > 2, replaced: new Map([[0, '{"id":-1}']]) },
      [-1, 4, 6, 8],
    ],
    [
      'shows stand-ins where there are some',
      { shows: (id: number) => id > 2, standIns: IndexedJsonRows.fromSortedRows([{ id: 2, json: '{"id":-2}' }]) },
      [-2, 4, 6, 8],
    ],
  ])('returns JSON that %s', (_, changes, expected) => {
    expect(ids(changes)).toEqual(expected);
    expect(Buffer.byteLength(textOf(rows.toJsonArray(changes).chunks))).toBe(rows.toJsonArray(changes).byteLength);
  });

  it('reuses the bytes of all shown rows without a copy, however many rows are omitted', () => {
    const many = rowsOf(2000);
    const { chunks } = many.toJsonArray({ shows: (id) => id % 4 === 0 });
    const copied = [...chunks].filter((chunk) => chunk.length > 1 && chunk.buffer !== many.bytes.buffer);
    expect(copied).toEqual([]);
  });
});

describe('IndexedJsonRows.toJsonArray with placeholders', () => {
  const rows = rowsOf(20_000);
  const standIns = IndexedJsonRows.fromSortedRows(
    Array.from({ length: 40_000 }, (_, id) => ({ id, json: `{"id":-${id}}` })),
  );
  const alike = IndexedJsonRows.fromSortedRows(Array.from(rows.ids, (id) => ({ id, json: `{"id":-${id}}` })));

  it('sends adjacent placeholder rows as one chunk', () => {
    const shows = (id: number) => id % 10_000 === 0;
    const replaced = new Map([[2, '{"id":2}']]);
    const chunks = [...rows.toJsonArray({ shows, standIns: alike, replaced }).chunks];
    expect(chunks.length).toBeLessThan(30);
    const expected = Array.from(rows.ids, (id) => (shows(id) || id === 2 ? id : -id));
    expect((JSON.parse(textOf(chunks)) as { id: number }[]).map(({ id }) => id)).toEqual(expected);
  });

  it('replaces each hidden row by the placeholder of that row', () => {
    const shown = JSON.parse(textOf(rows.toJsonArray({ shows: (id) => id > 3, standIns }).chunks)) as { id: number }[];
    expect(shown.slice(0, 3).map(({ id }) => id)).toEqual([-0, -2, 4]);
    expect(shown).toHaveLength(20_000);
  });
});

describe('serializeResponseBodyToChunks', () => {
  it('adds up the sizes of the values without iterating over their chunks', () => {
    let iterations = 0;
    const counted = function* () {
      iterations += 1;
      yield Buffer.from('["ä"]');
    };
    const rows = new JsonBytes({ [Symbol.iterator]: counted });
    const json = serializeResponseBodyToChunks({ a: 1, rows, list: JsonBytes.fromJoinedArrayValues([rows, rows]) });
    expect(iterations).toBe(1);
    const text = textOf(json?.chunks ?? []);
    expect(text).toBe('{"a":1,"rows":["ä"],"list":[["ä"],["ä"]]}');
    expect(json?.byteLength).toBe(Buffer.byteLength(text));
  });
});

describe('JsonRowsBuilder', () => {
  it('builds the same rows from several calls as from a single call', () => {
    const builder = new JsonRowsBuilder();
    for (const slice of [[1, 2], [], [5]]) builder.appendRows(slice.map((id) => ({ id, json: `"é${id}"` })));
    const rows = builder.buildIndexedRows();
    expect(textOf(rows.toJsonArray().chunks)).toBe('["é1","é2","é5"]');
    expect([1, 2, 3, 5].map((id) => rows.getRowText(id))).toEqual(['"é1"', '"é2"', undefined, '"é5"']);
  });
});

describe('createReadableResponseStream', () => {
  const body = { a: 1, rows: rowsOf(20_000).toJsonArray({ shows: (id) => id % 4 === 0 }), b: 'ö' };
  const json = serializeResponseBodyToChunks(body);
  if (json === null) throw new Error('nothing was spliced');

  it('sends the chunks in order', async () => {
    const sent: Buffer[] = [];
    for await (const chunk of createReadableResponseStream(json)) sent.push(chunk as Buffer);
    expect(textOf(sent)).toBe(textOf(json.chunks));
  });

  it('buffers only one block of the response while the client reads nothing', async () => {
    const stream = createReadableResponseStream(json);
    stream.once('readable', () => {});
    await new Promise((resolve) => setImmediate(resolve));
    expect(json.byteLength).toBeGreaterThan(150_000);
    expect(stream.readableLength).toBeGreaterThan(0);
    expect(stream.readableLength).toBeLessThanOrEqual(64 * 1024);
    stream.destroy();
  });
});
