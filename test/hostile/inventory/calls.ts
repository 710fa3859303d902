import type { Call } from '../send.js';

/** GET of a path below `/api/`. */
export function get(path: string, rest: Partial<Call> = {}): Call {
  return { method: 'GET', path, ...rest };
}

/** POST of a JSON body to a path below `/api/`. */
export function post(path: string, body: unknown, rest: Partial<Call> = {}): Call {
  return { method: 'POST', path, body: JSON.stringify(body), headers: { 'content-type': 'application/json' }, ...rest };
}

/** PATCH with a JSON body of a path below `/api/`. */
export function patch(path: string, body: unknown, rest: Partial<Call> = {}): Call {
  return { ...post(path, body, rest), method: 'PATCH' };
}

/** DELETE with a JSON body of a path below `/api/`. */
export function remove(path: string, body: unknown, rest: Partial<Call> = {}): Call {
  return { ...post(path, body, rest), method: 'DELETE' };
}

/** A query string: the parameter once for each value. */
export function repeated(name: string, values: readonly (string | number)[]): string {
  return values.map((value) => `${name}=${encodeURIComponent(String(value))}`).join('&');
}

/** The numbers from 1 to `count`. */
export function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
