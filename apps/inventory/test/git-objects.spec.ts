import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { applyGitDelta } from '../src/data-sources/git/apply-git-delta.js';
import { GitPackObjects } from '../src/data-sources/git/git-pack-objects.js';

const limits = { files: 100, bytes: 1_000_000, fileBytes: 100_000, timeoutMs: 60_000 };
const { signal } = new AbortController();

/**
 * Object id and text of each file in the git packs of the test, which git 2.39 created. The text is the line in which
 * the files differ.
 */
const files = [
  ['cf7986dc1cbea1aafac9c90e82bf202ab281704f', 'hostname router-1'],
  ['ced8d6647b97dcf405fc584edd931c90076a3cfb', 'hostname router-2'],
  ['c1263359367f6f7acf6b59af62b74996e720ab33', 'hostname router-3'],
  ['80572de024eb270426daac6737100347d7d5d6c8', 'hostname router-4'],
] as const;

const packOf = (name: string): Buffer => readFileSync(new URL(`reference/git/${name}.pack`, import.meta.url));

/** Returns the header of an entry in a git pack. */
function entryHead(kind: number, size: number): Buffer {
  const bytes = [kind * 16 + (size % 16)];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) + 128;
    bytes.push(rest % 128);
  }
  return Buffer.from(bytes);
}

/** Returns a git pack with the given entries. Each entry has a kind, a declared size and content. */
function newPack(...entries: readonly (readonly [kind: number, size: number, content: Buffer])[]): Buffer {
  const head = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
  head.writeUInt32BE(entries.length, 8);
  const parts = entries.map(([kind, size, content]) => Buffer.concat([entryHead(kind, size), deflateSync(content)]));
  return Buffer.concat([head, ...parts, Buffer.alloc(20)]);
}

const blobId = (content: Buffer): string =>
  createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');

describe('GitPackObjects', () => {
  it.each(['offset-deltas', 'id-deltas'])('reads objects of a pack with %s', async (name) => {
    const objects = await GitPackObjects.openGitPack(packOf(name), { limits, signal });
    for (const [id, line] of files) {
      const { kind, content } = await objects.readGitObject(id, 'a file');
      expect([kind, blobId(content)]).toEqual(['blob', id]);
      expect(content.toString()).toContain(`${line}\n`);
    }
  });

  it.each([
    ['is cut off', packOf('offset-deltas').subarray(0, 500)],
    ['is no pack', Buffer.from('<html></html>')],
    ['has a smaller object than it says', newPack([3, 100, Buffer.from('abc')])],
    ['has a larger object than it says', newPack([3, 2, Buffer.from('abc')])],
    ['has an unknown kind of object', newPack([5, 3, Buffer.from('abc')])],
    [
      'has no compressed content',
      Buffer.concat([newPack([3, 3, Buffer.from('abc')]).subarray(0, 13), Buffer.alloc(40)]),
    ],
  ])('rejects a pack that %s', async (_case, pack) => {
    await expect(GitPackObjects.openGitPack(pack, { limits, signal })).rejects.toThrow(/malformed/);
  });

  it('rejects a small git pack of large objects without decompressing all objects', async () => {
    const zeros = Buffer.alloc(3_000_000);
    const blobs = Array.from({ length: 100 }, () => [3, zeros.length, zeros] as const);
    await expect(GitPackObjects.openGitPack(newPack(...blobs), { limits, signal })).rejects.toThrow(
      'more than 11048576 bytes',
    );
  });

  it('caches the most recently used objects', async () => {
    const large = { files: 100, bytes: 100_000_000, fileBytes: 10_000_000, timeoutMs: 60_000 };
    const contents = [1, 2, 3].map((byte) => Buffer.alloc(7_000_000, byte));
    const pack = newPack(...contents.map((content) => [3, content.length, content] as const));
    const objects = await GitPackObjects.openGitPack(pack, { limits: large, signal });
    const [one = '', two = '', three = ''] = contents.map(blobId);
    const read = async (id: string) => (await objects.readGitObject(id, 'a file')).content;
    const [firstOfOne, firstOfTwo] = [await read(one), await read(two)];
    await read(one);
    // The third object takes the place of the second one.
    await read(three);
    // Compared as booleans, because a matcher would compare the bytes one by one.
    expect((await read(one)) === firstOfOne).toBe(true);
    expect((await read(two)) === firstOfTwo).toBe(false);
  });

  it('reads a delta object whose result equals its own base object', async () => {
    const base = Buffer.from('abc');
    const first = newPack([3, 3, base]);
    const same = Buffer.from([3, 3, 0x90, 3]);
    const second = Buffer.concat([entryHead(7, same.length), Buffer.from(blobId(base), 'hex'), deflateSync(same)]);
    const pack = Buffer.concat([first.subarray(0, -20), second, Buffer.alloc(20)]);
    pack.writeUInt32BE(2, 8);
    const objects = await GitPackObjects.openGitPack(pack, { limits, signal });
    expect(objects.findObjectOffset(blobId(base))).toBe(12);
  });

  it('skips an object above the size limit of a file', async () => {
    const [large, small] = [Buffer.alloc(200_000), Buffer.from('abc')];
    const objects = await GitPackObjects.openGitPack(newPack([3, large.length, large], [3, 3, small]), {
      limits,
      signal,
    });
    await expect(objects.readGitObject(blobId(large), 'large.txt')).rejects.toThrow(
      'large.txt has more than 100000 bytes.',
    );
    expect((await objects.readGitObject(blobId(small), 'small.txt')).content).toEqual(small);
  });

  it('rejects a delta whose result exceeds the size limit of a file', async () => {
    const base = Buffer.alloc(50_000);
    // Copies the base thousands of times.
    const copy = [0x80 + 0x30, 0x50, 0xc3];
    const delta = Buffer.from([
      0xd0,
      0x86,
      0x03,
      0x80,
      0xc2,
      0xd7,
      0x2f,
      ...Array.from({ length: 2000 }, () => copy).flat(),
    ]);
    const first = newPack([3, base.length, base]);
    const second = Buffer.concat([
      entryHead(6, delta.length),
      Buffer.from([first.length - 20 - 12]),
      deflateSync(delta),
    ]);
    const pack = Buffer.concat([first.subarray(0, -20), second, Buffer.alloc(20)]);
    pack.writeUInt32BE(2, 8);
    const objects = await GitPackObjects.openGitPack(pack, { limits, signal });
    expect((await objects.readGitObject(blobId(base), 'base')).content).toHaveLength(50_000);
    await expect(objects.readGitObject('0'.repeat(40), 'other.txt')).rejects.toThrow('lacks other.txt');
  });

  it('rejects a pack with more objects than the limit on files allows', async () => {
    const blobs = Array.from({ length: 3 }, () => [3, 1, Buffer.from('x')] as const);
    const few = { ...limits, files: 0 };
    const pack = newPack(...blobs);
    pack.writeUInt32BE(1001, 8);
    await expect(GitPackObjects.openGitPack(pack, { limits: few, signal })).rejects.toThrow(
      'more than 1000 files and folders',
    );
  });

  it('rejects with the abort reason when its signal is aborted', async () => {
    const ended = AbortSignal.abort(new Error('enough'));
    await expect(GitPackObjects.openGitPack(packOf('id-deltas'), { limits, signal: ended })).rejects.toThrow('enough');
  });
});

describe('applyGitDelta', () => {
  const base = Buffer.from('abcdefghijklmnopqrstuvwxyz');

  it('applies copy and insert instructions', () => {
    const delta = Buffer.from([26, 24, 0x91, 1, 20, 3, 0x58, 0x59, 0x5a, 0x90, 1]);
    expect(applyGitDelta(base, delta).toString()).toBe('bcdefghijklmnopqrstuXYZa');
  });

  it.each([
    ['has another base', [25, 1, 1, 0x58]],
    ['copies beyond the base', [26, 10, 0x91, 20, 10]],
    ['inserts more than it has', [26, 3, 3, 0x58]],
    ['makes more than it says', [26, 1, 2, 0x58, 0x59]],
    ['makes less than it says', [26, 5, 1, 0x58]],
    [
      'has too many instructions',
      [26, 0xa1, 0xc2, 0x1e, ...Array.from({ length: 500_000 }, () => [1, 0x58]).flat(), 1, 0x58],
    ],
    ['has the reserved instruction', [26, 1, 0]],
    ['has an endless size', [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]],
  ])('rejects a delta that %s', (_case, bytes) => {
    expect(() => applyGitDelta(base, Buffer.from(bytes))).toThrow(/malformed/);
  });
});
