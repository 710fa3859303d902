import { describe, expect, it } from 'vitest';
import { readPictureInfo } from './read-picture-info.js';

const bytes = (...parts: readonly (string | readonly number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))));
const room = (count: number): readonly number[] => Array.from({ length: count }, () => 0);

describe('readPictureInfo', () => {
  it.each([
    [
      'png',
      bytes([0x89], 'PNG\r\n\u001a\n', [0, 0, 0, 13], 'IHDR', [0, 0, 1, 0, 0, 0, 0, 2], room(10), 'IEND', room(8)),
      { width: 256, height: 2, format: 'png' },
    ],
    ['gif', bytes('GIF89a', [3, 1, 4, 0], room(8)), { width: 259, height: 4, format: 'gif' }],
    [
      'jpeg',
      bytes([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xff, 0xc2, 0, 11, 8, 0, 5, 1, 6], room(8)),
      { width: 262, height: 5, format: 'jpg' },
    ],
    [
      'webp, lossy',
      bytes('RIFF', room(4), 'WEBPVP8 ', room(10), [7, 0, 8, 0]),
      { width: 7, height: 8, format: 'webp' },
    ],
    [
      'webp, lossless',
      bytes('RIFF', room(4), 'WEBPVP8L', room(4), [0x2f, 0x08, 0x40, 0x02, 0], room(6)),
      { width: 9, height: 10, format: 'webp' },
    ],
    [
      'webp, extended',
      bytes('RIFF', room(4), 'WEBPVP8X', room(8), [10, 0, 0, 11, 0, 0]),
      { width: 11, height: 12, format: 'webp' },
    ],
  ])('reads the dimensions of %s', (_name, file, info) => {
    expect(readPictureInfo(file)).toEqual(info);
  });

  it('returns undefined for truncated files and files of other types', () => {
    for (const file of [
      bytes(),
      bytes('<svg/>'),
      bytes('%PDF-1.7'),
      bytes([0x89], 'PNG\r\n\u001a\n'),
      bytes([0xff, 0xd8, 0xff, 0xe0]),
      bytes([0xff, 0xd8, 0xff, 0xe0, 0xff, 0xff], room(20)),
      bytes('RIFF', room(30)),
      bytes('GIF89a', room(10)),
    ]) {
      expect(readPictureInfo(file)).toBeNull();
    }
  });
});
