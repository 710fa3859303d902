import type { Call } from '../send-hostile-request.js';

const formBoundary = 'TheBoundaryOfTheForm';

/** A file that a request uploads in a multipart form. */
export interface SentFile {
  readonly name: string;
  readonly contentType: string;
  readonly content: Buffer | string;
}

/** Creates a request to chat that uploads files to a path below `/api/v1/`. */
export function upload(path: string, ...files: readonly SentFile[]): Call {
  return multipart(path, [...files.map(partOf), Buffer.from(`--${formBoundary}--\r\n`)]);
}

/** Returns a request with a multipart form that consists of the given encoded parts. */
export function multipart(path: string, parts: readonly Buffer[]): Call {
  const headers = { 'content-type': `multipart/form-data; boundary=${formBoundary}` };
  return { method: 'POST', path, headers, body: Buffer.concat(parts) };
}

/** Encodes a file as a part of a form for {@link multipart}. */
export function partOf({ name, contentType, content }: SentFile): Buffer {
  const head = `--${formBoundary}\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\ncontent-type: ${contentType}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), Buffer.from(content), Buffer.from('\r\n')]);
}

/** Encodes a form field as a part of a form for {@link multipart}. */
export function fieldOf(name: string, value: string): Buffer {
  return Buffer.from(`--${formBoundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`);
}
