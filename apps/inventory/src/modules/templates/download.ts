import type { FastifyReply } from 'fastify';
import type { StoredResponse } from '../../engine/responses/stored-response.js';
import { sendStored } from '../../http/send.js';

/** A text that is sent as a file. */
export interface Download {
  readonly text: string | StoredResponse;
  readonly mimeType: string;
  /** Name of the downloaded file; null to show it inline. */
  readonly fileName: string | null;
}

const plainText = 'text/plain; charset=utf-8';
const mediaType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(;[\x20-\x7e]*)?$/;

/** Sends a text under the media type that its template names. */
export function sendDownload(reply: FastifyReply, { text, mimeType, fileName }: Download): void {
  reply.headers({
    'content-type': mediaType.test(mimeType) ? mimeType : plainText,
    // Whoever writes templates writes pages of this origin: they may do nothing here.
    'content-security-policy': 'sandbox',
    'x-content-type-options': 'nosniff',
    ...(fileName === null ? {} : { 'content-disposition': attachment(fileName) }),
  });
  if (typeof text === 'string') reply.send(text);
  else sendStored(reply.request, reply, text);
}

/** Formats a Content-Disposition header (RFC 6266) with an ASCII name, and the original one if it differs. */
function attachment(fileName: string): string {
  // Control characters, quotes and separators of paths have no place in a name.
  const name = fileName.replaceAll(/[\p{Cc}"\\/]/gu, '_');
  const ascii = name.replaceAll(/[^\x20-\x7e]/g, '_');
  const exact = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16)}`,
  );
  return `attachment; filename="${ascii}"${ascii === name ? '' : `; filename*=UTF-8''${exact}`}`;
}
