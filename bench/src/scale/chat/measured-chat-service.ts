import { Pool } from 'undici';
import type { MeasuredDeployment, SizeName } from '../scale-app.js';
import type { RepeatedRequest } from '../watch/watched-request.js';
import { deriveCredential } from '../benchmark-secrets.js';
import { ChatIds } from './generated-chat-ids.js';
import { getEmail } from './generated-users.js';
import { type ChatSize, chatSizes } from './chat-sizes.js';

/** Parameters of a request to the chat service. Lists and objects are sent as JSON. */
export type RequestParameters = Readonly<Record<string, unknown>>;

type HttpMethod = 'GET' | 'POST' | 'PATCH' | 'DELETE';

const requestTimeoutMs = 600_000;
const connectionsPerProcess = 300;

/** The chat service on a generated database of one size. Its methods send requests as the generated users. */
export class MeasuredChatService {
  readonly #pool: Pool;
  readonly #lastOrigin: string;

  private constructor(
    readonly size: ChatSize,
    readonly ids: ChatIds,
    readonly deployment: MeasuredDeployment,
  ) {
    const [first = ''] = deployment.origins;
    this.#lastOrigin = deployment.origins.at(-1) ?? first;
    this.#pool = new Pool(first, {
      connections: connectionsPerProcess,
      headersTimeout: requestTimeoutMs,
      bodyTimeout: requestTimeoutMs,
    });
  }

  static async open(deployment: MeasuredDeployment, size: SizeName): Promise<MeasuredChatService> {
    return new MeasuredChatService(
      chatSizes[size],
      await ChatIds.read(deployment.database, chatSizes[size]),
      deployment,
    );
  }

  /**
   * Sends a request as generated user number `n` and reads the whole response.
   *
   * @returns the text of the response body
   * @throws Error if the status is neither 200 nor in `accepted`
   */
  async send(
    n: number,
    method: HttpMethod,
    path: string,
    parameters: RequestParameters = {},
    accepted: readonly number[] = [],
  ): Promise<string> {
    const form = encodeForm(parameters);
    const response = await this.#pool.request({
      method,
      path: method === 'GET' && form !== '' ? `/api/v1${path}?${form}` : `/api/v1${path}`,
      headers: createRequestHeaders(n),
      ...(method === 'GET' ? {} : { body: form }),
    });
    const text = await response.body.text();
    const isExpected = response.statusCode === 200 || accepted.includes(response.statusCode);
    if (!isExpected) throw new Error(`${method} ${path}: ${response.statusCode} ${text.slice(0, 300)}`);
    return text;
  }

  /** Sends a message as generated user number `n`. Returns the id of the message. */
  async postMessage(n: number, parameters: RequestParameters): Promise<number> {
    return (JSON.parse(await this.send(n, 'POST', '/messages', parameters)) as { id: number }).id;
  }

  /**
   * Returns the write that a background client repeats during an operation: user number `n` sends a message to a
   * channel.
   */
  repeatedMessage(n: number, channel: number, topic: string): RepeatedRequest {
    const body = encodeForm({ type: 'stream', to: this.ids.channel(channel), topic, content: 'bystander 0' });
    // Form encoding would escape the braces of `{n}`.
    const numbered = body.replace('bystander+0', 'bystander+{n}');
    return {
      url: `${this.#lastOrigin}/api/v1/messages`,
      method: 'POST',
      headers: createRequestHeaders(n),
      body: numbered,
    };
  }

  /**
   * Returns the id of the newest message that meets an SQL condition on `messages m`. With `ASC`, returns the oldest
   * one.
   */
  async findMessageId(condition: string, order: 'ASC' | 'DESC' = 'DESC'): Promise<number> {
    const { rows } = await this.deployment.database.query<{ id: string }>(
      `SELECT m.id FROM messages m WHERE ${condition} ORDER BY m.id ${order} LIMIT 1`,
    );
    if (rows[0] === undefined) throw new Error(`no message where ${condition}`);
    return Number(rows[0].id);
  }
}

function createRequestHeaders(n: number): Record<string, string> {
  const email = getEmail(n);
  return {
    authorization: `Basic ${Buffer.from(`${email}:${deriveCredential(email)}`).toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
  };
}

function encodeForm(parameters: RequestParameters): string {
  const pairs = Object.entries(parameters).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return new URLSearchParams(pairs as [string, string][]).toString();
}
