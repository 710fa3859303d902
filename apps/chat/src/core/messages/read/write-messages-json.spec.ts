import { describe, expect, it } from 'vitest';
import type { MessageSize } from './messages-page.repository.js';
import { writeMessagesJson } from './write-messages-json.js';

const bytesPerMegabyte = 1_048_576;
const textOf = (chunks: Iterable<Buffer>): string => Buffer.concat([...chunks]).toString();

describe('writeMessagesJson', () => {
  it('reads at most a megabyte of messages at a time, and reads a message above a megabyte alone', async () => {
    const sizes: MessageSize[] = [
      [1, bytesPerMegabyte / 2],
      [2, bytesPerMegabyte / 2],
      [3, 1],
      [4, 2 * bytesPerMegabyte],
      [5, 0],
    ];
    const reads: number[][] = [];
    const json = await writeMessagesJson(sizes, 10 * bytesPerMegabyte, (ids) => {
      reads.push([...ids]);
      return Promise.resolve(ids.map((id) => ({ id })));
    });
    expect(reads.map((ids) => ids.join())).toEqual(['1,2', '3', '4', '5']);
    expect(JSON.parse(textOf(json.chunks))).toEqual([1, 2, 3, 4, 5].map((id) => ({ id })));
  });

  it('omits messages that are deleted before they are read', async () => {
    const sizes: MessageSize[] = [
      [1, bytesPerMegabyte],
      [2, bytesPerMegabyte],
      [3, bytesPerMegabyte],
    ];
    const only = (wanted: readonly number[]) =>
      writeMessagesJson(sizes, 10 * bytesPerMegabyte, (ids) =>
        Promise.resolve(ids.filter((id) => wanted.includes(id)).map((id) => ({ id }))),
      );
    expect(textOf((await only([2])).chunks)).toBe('[{"id":2}]');
    expect(textOf((await only([])).chunks)).toBe('[]');
  });

  it('rejects message texts above the size limit before reading them, and a longer JSON response while writing it', async () => {
    const read = (text: string) => () => Promise.resolve([{ text }]);
    const unread = () => Promise.reject(new Error('read'));
    const refusal = { code: 'BAD_REQUEST' };
    await expect(writeMessagesJson([[1, 101]], 100, unread)).rejects.toMatchObject(refusal);
    await expect(writeMessagesJson([[1, 90]], 100, read('"'.repeat(90)))).rejects.toMatchObject(refusal);
  });
});
