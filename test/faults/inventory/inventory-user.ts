import { type Outcome, send } from '../http.js';

/** API token of the demo superuser in these tests. */
export const adminToken = `nbt_${'f'.repeat(12)}.${'0'.repeat(40)}`;

/** The demo superuser. Requests are sent to the proxy in front of the inventory processes. */
export class InventoryUser {
  constructor(private readonly origin: string) {}

  call(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<Outcome> {
    const headers = {
      authorization: `Bearer ${adminToken}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const call = { method, path: `/api/${path}`, headers };
    return send(this.origin, body === undefined ? call : { ...call, body: JSON.stringify(body) });
  }
}
