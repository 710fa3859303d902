/** File format of a picture, and the picture's width and height in pixels. */
export interface PictureInfo {
  readonly width: number;
  readonly height: number;
  /** File format of the picture, given by the file name extension without the dot. */
  readonly format: PictureFormat;
}

/** Supported picture formats. SVG and PDF are not supported, because they can contain scripts. */
type PictureFormat = 'png' | 'jpg' | 'gif' | 'webp';

/** Media types of pictures, by file name extension without the dot. */
export const pictureTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};

type PictureSize = Pick<PictureInfo, 'width' | 'height'>;

/**
 * Reads the format, width and height of a picture from the bytes of its file. Returns null for content that is not a
 * picture. The picture is not decoded, so that a small file cannot use much memory or time.
 */
export function readPictureInfo(file: Buffer): PictureInfo | null {
  for (const [format, read] of pictureReaderByFormat) {
    const size = read(file);
    if (size !== null && size.width > 0 && size.height > 0) return { ...size, format };
  }
  return null;
}

const pictureReaderByFormat: readonly (readonly [PictureFormat, (file: Buffer) => PictureSize | null])[] = [
  ['png', readPngDimensions],
  ['jpg', readJpegDimensions],
  ['gif', readGifDimensions],
  ['webp', readWebpDimensions],
];

/**
 * Reads the width and height of a PNG picture (ISO 15948, 5.2 and 11.2.2). The file begins with a signature and a
 * header that contains width and height. The file ends with an `IEND` chunk.
 */
function readPngDimensions(file: Buffer): PictureSize | null {
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  if (file.length < 45 || !file.subarray(0, 8).equals(signature)) return null;
  if (file.toString('latin1', 12, 16) !== 'IHDR' || !file.includes('IEND', 33, 'latin1')) return null;
  return { width: file.readUInt32BE(16), height: file.readUInt32BE(20) };
}

/**
 * Reads the width and height of a GIF picture (GIF89a, 17 and 18). The file begins with a signature, followed by the
 * width and height of the logical screen.
 */
function readGifDimensions(file: Buffer): PictureSize | null {
  if (file.length < 14 || !/^GIF8[79]a$/.test(file.toString('latin1', 0, 6))) return null;
  return { width: file.readUInt16LE(6), height: file.readUInt16LE(8) };
}

/**
 * Reads the width and height of a JPEG picture (ITU T.81, B.2). The file consists of segments, one of which begins the
 * frame and contains width and height.
 */
function readJpegDimensions(file: Buffer): PictureSize | null {
  if (file.length < 4 || file.readUInt16BE(0) !== 0xffd8) return null;
  let at = 2;
  while (at + 9 < file.length) {
    if (file[at] !== 0xff) return null;
    const marker = file[at + 1] ?? 0;
    // Any number of fill bytes may precede a marker.
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const beginsFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (beginsFrame) return { width: file.readUInt16BE(at + 7), height: file.readUInt16BE(at + 5) };
    at += 2 + file.readUInt16BE(at + 2);
  }
  return null;
}

/**
 * Reads the width and height of a WebP picture (RFC 9649, 2.4 to 2.7). Each of the three variants of WebP stores width
 * and height at a different offset.
 */
function readWebpDimensions(file: Buffer): PictureSize | null {
  if (file.length < 30 || file.toString('latin1', 0, 4) !== 'RIFF' || file.toString('latin1', 8, 12) !== 'WEBP') {
    return null;
  }
  const form = file.toString('latin1', 12, 16);
  if (form === 'VP8X') return { width: file.readUIntLE(24, 3) + 1, height: file.readUIntLE(27, 3) + 1 };
  if (form === 'VP8L') {
    const bits = file.readUInt32LE(21);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (form !== 'VP8 ') return null;
  return { width: file.readUInt16LE(26) & 0x3fff, height: file.readUInt16LE(28) & 0x3fff };
}
