import { Pool } from 'undici';
import type { Deployment, SizeName } from '../app.js';
import type { RepeatedRequest } from '../watch/watched-request.js';
import { InventoryAmounts, inventorySizes } from './sizes.js';
import { authorization } from './token.js';

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

const timeoutMs = 900_000;
const connections = 50;

/** The inventory of a size, and requests to it by a superuser. */
export class InventoryWorld {
  readonly #pool: Pool;
  readonly #lastOrigin: string;

  private constructor(
    readonly amounts: InventoryAmounts,
    readonly deployment: Deployment,
  ) {
    const [first = ''] = deployment.origins;
    this.#lastOrigin = deployment.origins.at(-1) ?? first;
    this.#pool = new Pool(first, { connections, headersTimeout: timeoutMs, bodyTimeout: timeoutMs });
  }

  static open(deployment: Deployment, size: SizeName): Promise<InventoryWorld> {
    return Promise.resolve(new InventoryWorld(new InventoryAmounts(inventorySizes[size]), deployment));
  }

  /**
   * Sends a request and reads its response to the end.
   *
   * @param path what follows `/api/`
   * @returns the text of the response
   * @throws Error for any status that is neither a success nor `accepted`
   */
  async send(method: Method, path: string, body?: unknown, accepted: readonly number[] = []): Promise<string> {
    const response = await this.#pool.request({
      method,
      path: `/api/${path.replaceAll(' ', '%20')}`,
      headers: { authorization, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.body.text();
    if (response.statusCode >= 300 && !accepted.includes(response.statusCode)) {
      throw new Error(`${method} ${path}: ${response.statusCode} ${text.slice(0, 300)}`);
    }
    return text;
  }

  /** Creates an object. @returns its id */
  async create(path: string, body: unknown): Promise<number> {
    return (JSON.parse(await this.send('POST', path, body)) as { id: number }).id;
  }

  /** A change of a site, repeated by a client that takes no part in an operation. */
  repeatedChange(): RepeatedRequest {
    return {
      url: `${this.#lastOrigin}/api/dcim/sites/1/`,
      method: 'PATCH',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ description: 'change {n}' }),
    };
  }
}
