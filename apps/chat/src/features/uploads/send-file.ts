import type { FastifyReply, FastifyRequest } from 'fastify';
import { parseRequestedRange } from './parse-byte-range.js';
import { isSeekableContentType, isContentTypeShownInline } from './upload-content-type.js';
import type { ReadableUploadedFile } from './find-readable-file.js';
import type { ReadUploadedFiles } from './read-files.query.js';

/**
 * HTTP headers that prevent browsers from running scripts or loading resources in an uploaded file. The headers are
 * needed because uploaded files share the origin of the service.
 */
const scriptPreventingHeaders = {
  'x-content-type-options': 'nosniff',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; media-src 'self'; object-src 'self'",
  'cache-control': 'private, max-age=604800, immutable',
} as const;

/**
 * Sends an uploaded file, or the byte range of the file that the client requested.
 *
 * @throws ApplicationError NOT_FOUND
 */
export async function sendUploadedFileResponse(
  files: ReadUploadedFiles,
  file: ReadableUploadedFile,
  request: FastifyRequest,
  reply: FastifyReply,
  download: boolean,
): Promise<void> {
  const seekable = isSeekableContentType(file.contentType);
  const range = seekable ? parseRequestedRange(request.headers.range, file.size) : undefined;
  const content = await files.openFileContent(file, range);
  const charset = file.contentType.startsWith('text/') ? '; charset=utf-8' : '';
  reply.headers({
    ...scriptPreventingHeaders,
    'content-type': file.contentType + charset,
    'content-length': range === undefined ? file.size : range.end - range.start + 1,
    'content-disposition': formatContentDispositionHeader(file, download),
    ...(seekable && { 'accept-ranges': 'bytes' }),
  });
  if (range !== undefined) {
    reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${file.size}`);
  }
  await reply.send(content);
}

/** Sends an image that the server created, such as a thumbnail. */
export async function sendImageResponse(reply: FastifyReply, picture: Buffer, contentType: string): Promise<void> {
  await reply.headers({ ...scriptPreventingHeaders, 'content-type': contentType }).send(picture);
}

/** Formats a Content-Disposition header (RFC 6266) with the file's name in UTF-8. */
function formatContentDispositionHeader(file: ReadableUploadedFile, download: boolean): string {
  const kind = isContentTypeShownInline(file.contentType) && !download ? 'inline' : 'attachment';
  return `${kind}; filename*=UTF-8''${encodeURIComponent(file.fileName).replaceAll(/['()*]/g, percentEncodeFileName)}`;
}

function percentEncodeFileName(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
