import type { ByteRange } from '../../infra/storage/index.js';

/**
 * The one range that a Range header asks for (RFC 9110 section 14.1.2); undefined for none, several, or one that
 * cannot be met: then the whole file is sent, as the header may always be ignored.
 */
export function requestedRange(header: string | undefined, size: number): ByteRange | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === '') {
    const length = Math.min(Number(last), size);
    return last === '' || length === 0 ? undefined : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  return start <= end ? { start, end } : undefined;
}
