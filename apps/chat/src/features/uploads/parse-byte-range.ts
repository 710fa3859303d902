import type { ByteRange } from '../../infra/storage/index.js';

/**
 * Parses a Range header (RFC 9110 section 14.1.2) for a file of the given size. Returns undefined if the header
 * contains no range, several ranges, or an unsatisfiable range. In these cases the caller sends the whole file, which
 * the RFC allows.
 */
export function parseRequestedRange(header: string | undefined, size: number): ByteRange | undefined {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === '') {
    const length = Math.min(Number(last), size);
    return last === '' || length === 0 ? undefined : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  return start <= end ? { start, end } : undefined;
}
