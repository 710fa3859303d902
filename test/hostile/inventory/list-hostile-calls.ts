import type { Call } from '../send-hostile-request.js';

/** Creates a GET request to the inventory for a path below `/api/`. */
export function get(path: string, rest: Partial<Call> = {}): Call {
  return { method: 'GET', path, ...rest };
}

/** Returns a POST request to the inventory with a JSON body, for a path below `/api/`. */
export function post(path: string, body: unknown, rest: Partial<Call> = {}): Call {
  return { method: 'POST', path, body: JSON.stringify(body), headers: { 'content-type': 'application/json' }, ...rest };
}

/** Returns a PATCH request to the inventory with a JSON body, for a path below `/api/`. */
export function patch(path: string, body: unknown, rest: Partial<Call> = {}): Call {
  return { ...post(path, body, rest), method: 'PATCH' };
}

/** Returns a DELETE request to the inventory with a JSON body, for a path below `/api/`. */
export function remove(path: string, body: unknown, rest: Partial<Call> = {}): Call {
  return { ...post(path, body, rest), method: 'DELETE' };
}

/** Returns a query string that contains a parameter once for each of the given values. */
export function repeatedParameter(name: string, values: readonly (string | number)[]): string {
  return values.map((value) => `${name}=${encodeURIComponent(String(value))}`).join('&');
}

/** Returns a list of the integers from 1 to `count`. */
export function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
