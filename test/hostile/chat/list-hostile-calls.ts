import type { Call } from '../send-hostile-request.js';

type FormFields = Readonly<Record<string, string>>;

/** Creates a GET request to chat for a path below `/api/v1/`. */
export function get(path: string, query: FormFields = {}, rest: Partial<Call> = {}): Call {
  return { method: 'GET', path: `${path}?${new URLSearchParams(query).toString()}`, ...rest };
}

/** Returns a request to chat that sends a form to a path below `/api/v1/`. */
export function send(method: 'POST' | 'PATCH' | 'PUT' | 'DELETE', path: string, form: FormFields): Call {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return { method, path, headers, body: new URLSearchParams(form).toString() };
}

/** Returns a list of the integers from 1 to `count`. */
export function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
