import type { FastifyReply } from 'fastify';
import type { StoredResponse } from '../../engine/responses/stored-response.js';
import { sendStoredResponse } from '../../http/send-response.js';

/** A rendered text with its media type. The service sends the text as a normal response or as a file for download. */
export interface RenderedDownload {
  readonly text: string | StoredResponse;
  readonly mimeType: string;
  /** Name of the downloaded file; null to show the text in the browser. */
  readonly fileName: string | null;
}

const plainTextContentType = 'text/plain; charset=utf-8';
const downloadMediaTypePattern = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(;[\x20-\x7e]*)?$/;

/** Sends a rendered text as the response, with the media type that the template declares. */
export function sendDownload(reply: FastifyReply, { text, mimeType, fileName }: RenderedDownload): void {
  reply.headers({
    'content-type': downloadMediaTypePattern.test(mimeType) ? mimeType : plainTextContentType,
    // Pages written by template authors have this service's origin, so that the browser must not let them run scripts.
    'content-security-policy': 'sandbox',
    'x-content-type-options': 'nosniff',
    ...(fileName === null ? {} : { 'content-disposition': createContentDisposition(fileName) }),
  });
  if (typeof text === 'string') reply.send(text);
  else sendStoredResponse(reply.request, reply, text);
}

/**
 * Returns the value of a Content-Disposition header (RFC 6266) with an ASCII file name. If the exact file name is not
 * ASCII, the header also contains the exact name.
 */
function createContentDisposition(fileName: string): string {
  // Control characters, quotes and path separators are replaced.
  const name = fileName.replaceAll(/[\p{Cc}"\\/]/gu, '_');
  const ascii = name.replaceAll(/[^\x20-\x7e]/g, '_');
  const exact = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16)}`,
  );
  return `attachment; filename="${ascii}"${ascii === name ? '' : `; filename*=UTF-8''${exact}`}`;
}
