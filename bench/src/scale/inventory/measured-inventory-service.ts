import { Pool } from 'undici';
import type { MeasuredDeployment, DatabaseSizeName } from '../scale-app.js';
import type { RepeatedRequest } from '../watch/watched-request.js';
import { GeneratedInventoryObjectCounts, generatedInventorySizes } from './inventory-sizes.js';
import { getAuthorizationHeader, type BenchmarkInventoryUser } from './benchmark-token.js';

type HttpMethod = 'GET' | 'POST' | 'PATCH' | 'DELETE';

const requestTimeoutMs = 900_000;
const connectionsPerInventoryProcess = 50;

/** The inventory service on a generated database of one size. Its methods send requests as users of that database. */
export class MeasuredInventoryService {
  readonly #pool: Pool;
  readonly #lastOrigin: string;

  private constructor(
    readonly amounts: GeneratedInventoryObjectCounts,
    readonly deployment: MeasuredDeployment,
  ) {
    const [first = ''] = deployment.origins;
    this.#lastOrigin = deployment.origins.at(-1) ?? first;
    this.#pool = new Pool(first, {
      connections: connectionsPerInventoryProcess,
      headersTimeout: requestTimeoutMs,
      bodyTimeout: requestTimeoutMs,
    });
  }

  static openForDeployment(deployment: MeasuredDeployment, size: DatabaseSizeName): Promise<MeasuredInventoryService> {
    return Promise.resolve(
      new MeasuredInventoryService(new GeneratedInventoryObjectCounts(generatedInventorySizes[size]), deployment),
    );
  }

  /**
   * Sends a request to the inventory service as the superuser and reads the whole response.
   *
   * @param path path after `/api/`
   * @returns the text of the response body
   * @throws Error if the status is neither a success nor in `accepted`
   */
  async sendRequest(
    method: HttpMethod,
    path: string,
    body?: unknown,
    accepted: readonly number[] = [],
  ): Promise<string> {
    const response = await this.#pool.request({
      method,
      path: `/api/${path.replaceAll(' ', '%20')}`,
      headers: {
        authorization: getAuthorizationHeader('superuser'),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.body.text();
    if (response.statusCode >= 300 && !accepted.includes(response.statusCode)) {
      throw new Error(`${method} ${path}: ${response.statusCode} ${text.slice(0, 300)}`);
    }
    return text;
  }

  /** Creates an inventory object from a request body. Returns the id of the object. */
  async createObject(path: string, body: unknown): Promise<number> {
    return (JSON.parse(await this.sendRequest('POST', path, body)) as { id: number }).id;
  }

  /** Requests a list or an object of the inventory as the given user. @throws Error if the status is not 200 */
  async readPathAsUser(user: BenchmarkInventoryUser, path: string): Promise<void> {
    const headers = { authorization: getAuthorizationHeader(user) };
    const response = await this.#pool.request({ method: 'GET', path: `/api/${path}`, headers });
    const text = await response.body.text();
    if (response.statusCode !== 200) throw new Error(`GET ${path}: ${response.statusCode} ${text.slice(0, 300)}`);
  }

  /**
   * Sends a request as the superuser and reads the response to its end without storing the body. Returns the status and
   * the length of the body in bytes.
   */
  async measureResponse(path: string): Promise<{ status: number; bytes: number }> {
    const headers = { authorization: getAuthorizationHeader('superuser') };
    const response = await this.#pool.request({ method: 'GET', path: `/api/${path}`, headers });
    let bytes = 0;
    for await (const chunk of response.body as AsyncIterable<Buffer>) bytes += chunk.length;
    return { status: response.statusCode, bytes };
  }

  /** Returns the write that a background client repeats during an operation: a change of a site's description. */
  createRepeatedSiteChangeRequest(): RepeatedRequest {
    return {
      url: `${this.#lastOrigin}/api/dcim/sites/1/`,
      method: 'PATCH',
      headers: { authorization: getAuthorizationHeader('superuser'), 'content-type': 'application/json' },
      body: JSON.stringify({ description: 'change {n}' }),
    };
  }
}
