import sharp from 'sharp';
import type { InProcessApiClient } from '@switchboard/testing';

/** A file to upload in a multipart form. */
export interface SentFile {
  readonly name: string;
  readonly type?: string;
  readonly content: string | Buffer;
  /** Name of the form field that contains the file. */
  readonly field?: string;
}

/** Encodes files and fields as a multipart request body. */
export function multipart(files: readonly SentFile[], fields: Readonly<Record<string, string>> = {}) {
  const boundary = 'x-test-boundary';
  const parts = [
    ...Object.entries(fields).map(([name, value]) => [`name="${name}"\r\n`, Buffer.from(value)] as const),
    ...files.map(({ name, type, content, field }) => {
      const head = `name="${field ?? 'filename'}"; filename="${name}"\r\n${type === undefined ? '' : `content-type: ${type}\r\n`}`;
      return [head, Buffer.from(content)] as const;
    }),
  ];
  const payload = Buffer.concat([
    ...parts.flatMap(([head, content]) => [
      Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; ${head}\r\n`),
      content,
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ]);
  return { payload, headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } };
}

interface UploadResponse {
  result: string;
  msg: string;
  code?: string;
  url: string;
  uri: string;
  filename: string;
}

/** Uploads one file by POST /user_uploads and returns the response. */
export async function upload(client: InProcessApiClient, file: SentFile): Promise<UploadResponse> {
  return (await client.post<UploadResponse>('/api/v1/user_uploads', multipart([file]))).body;
}

/** Creates a PNG of one color. */
export function picture(width: number, height: number): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: '#336699' } })
    .png()
    .toBuffer();
}

/** Creates a GIF with two frames. */
export async function animation(width: number, height: number): Promise<Buffer> {
  const frames = [0, 255].map((shade) => Buffer.alloc(width * height * 4, shade));
  return sharp(Buffer.concat(frames), { raw: { width, height: height * 2, channels: 4, pageHeight: height } })
    .gif({ delay: [100, 100], loop: 0 })
    .toBuffer();
}

/** Creates a GIF in which each frame changes one pixel. A frame takes 23 bytes at any picture size. */
export function manyFrames(frames: number, size = 40): Buffer {
  const extent = [size & 0xff, size >> 8];
  const frame = [0x21, 0xf9, 4, 0, 1, 0, 0, 0, 0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0];
  return Buffer.concat([
    Buffer.from('GIF89a', 'latin1'),
    Buffer.from([...extent, ...extent, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]),
    ...Array.from({ length: frames }, () => Buffer.from(frame)),
    Buffer.from([0x3b]),
  ]);
}

/**
 * Returns the path of an uploaded file in the form that the OpenAPI document uses, with escaped slashes after the realm
 * id.
 */
export function toDocumentedPath(url: string): string {
  const [, prefix = '', tail = ''] = /^(\/user_uploads\/(?:thumbnail\/)?\d+\/)(.+)$/.exec(url) ?? [];
  return prefix + encodeURIComponent(tail);
}
