import { Pool } from 'undici';
import type { MeasuredDeployment, DatabaseSizeName } from '../scale-app.js';
import type { RepeatedRequest } from '../watch/watched-request.js';
import { deriveCredentialFromName } from '../benchmark-secrets.js';
import { GeneratedChatIds } from './generated-chat-ids.js';
import { getUserEmail } from './generated-users.js';
import { type GeneratedChatSize, generatedChatSizes } from './chat-sizes.js';

/** Parameters of a request to the chat service. Lists and objects are sent as JSON. */
export type ChatRequestParameters = Readonly<Record<string, unknown>>;

type HttpMethod = 'GET' | 'POST' | 'PATCH' | 'DELETE';

const requestTimeoutMs = 600_000;
const connectionsPerChatProcess = 300;

/** The chat service on a generated database of one size. Its methods send requests as the generated users. */
export class MeasuredChatService {
  readonly #pool: Pool;
  readonly #lastOrigin: string;

  private constructor(
    readonly size: GeneratedChatSize,
    readonly ids: GeneratedChatIds,
    readonly deployment: MeasuredDeployment,
  ) {
    const [first = ''] = deployment.origins;
    this.#lastOrigin = deployment.origins.at(-1) ?? first;
    this.#pool = new Pool(first, {
      connections: connectionsPerChatProcess,
      headersTimeout: requestTimeoutMs,
      bodyTimeout: requestTimeoutMs,
    });
  }

  static async openForDeployment(deployment: MeasuredDeployment, size: DatabaseSizeName): Promise<MeasuredChatService> {
    return new MeasuredChatService(
      generatedChatSizes[size],
      await GeneratedChatIds.readCreatedRealmIds(deployment.database, generatedChatSizes[size]),
      deployment,
    );
  }

  /**
   * Sends a request as generated user number `n` and reads the whole response.
   *
   * @returns the text of the response body
   * @throws Error if the status is neither 200 nor in `accepted`
   */
  async sendRequest(
    n: number,
    method: HttpMethod,
    path: string,
    parameters: ChatRequestParameters = {},
    accepted: readonly number[] = [],
  ): Promise<string> {
    const form = encodeFormParameters(parameters);
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
  async postMessage(n: number, parameters: ChatRequestParameters): Promise<number> {
    return (JSON.parse(await this.sendRequest(n, 'POST', '/messages', parameters)) as { id: number }).id;
  }

  /**
   * Returns the write that a background client repeats during an operation: user number `n` sends a message to a
   * channel.
   */
  createRepeatedMessageRequest(n: number, channel: number, topic: string): RepeatedRequest {
    const body = encodeFormParameters({ type: 'stream', to: this.ids.channel(channel), topic, content: 'bystander 0' });
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
  const email = getUserEmail(n);
  return {
    authorization: `Basic ${Buffer.from(`${email}:${deriveCredentialFromName(email)}`).toString('base64')}`,
    'content-type': 'application/x-www-form-urlencoded',
  };
}

function encodeFormParameters(parameters: ChatRequestParameters): string {
  const pairs = Object.entries(parameters).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return new URLSearchParams(pairs as [string, string][]).toString();
}
