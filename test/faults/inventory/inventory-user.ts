import { type RequestOutcome, send } from '../http.js';

/** API token of the demo superuser in these tests. */
export const adminToken = `nbt_${'f'.repeat(12)}.${'0'.repeat(40)}`;

/** Client of the demo superuser. Requests are sent to the proxy in front of the inventory processes. */
export class InventoryUser {
  /** @param authorization credentials; default: the token of the demo superuser */
  constructor(
    private readonly origin: string,
    private readonly authorization = `Bearer ${adminToken}`,
  ) {}

  call(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<RequestOutcome> {
    const headers = {
      authorization: this.authorization,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const call = { method, path: `/api/${path}`, headers };
    return send(this.origin, body === undefined ? call : { ...call, body: JSON.stringify(body) });
  }
}
