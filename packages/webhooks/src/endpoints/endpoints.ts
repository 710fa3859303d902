import { randomUUID } from 'node:crypto';
import type { QueueTx } from '@switchboard/queue';
import { parseWebhookInput } from '../parse-webhook-input.js';
import type { WebhookTableNames } from '../webhook-tables.js';
import { generateWebhookSecret } from '../signing/signing-key.js';
import { webhookErrors } from '../webhook-errors.js';
import {
  allEventTypesName,
  endpointChangeSchema,
  newEndpointSchema,
  endpointOwnerSchema,
  listPageQuerySchema,
  endpointSecretRotationSchema,
  type WebhookEndpoint,
  type WebhookEndpointChange,
  type EndpointPage,
  type EndpointWithSecret,
  type NewWebhookEndpoint,
  type ListPageQuery,
  type EndpointSecretRotation,
} from './endpoint-schemas.js';
import { createWebhookEndpointSqlStatements, type WebhookEndpointSqlStatements } from './endpoint-sql.js';
import { encryptEndpointSecret, type SecretEncryption } from './sealed-secrets.js';

/** Maximum number of replaced secrets of an endpoint that sign requests in addition to the current secret. */
export const maxReplacedSecrets = 4;

export interface WebhookEndpointsDependencies {
  readonly tables: WebhookTableNames;
  readonly sealer: SecretEncryption;
  /** Names of all event types of the service; null if any name is allowed. */
  readonly eventTypes: ReadonlySet<string> | null;
  readonly maxEndpointsPerOwner: number;
  /** Function that returns the current time in milliseconds since 1970. */
  readonly now: () => number;
  /** Function that checks the URL of an endpoint by the address policy. Throws an `ApplicationError` for a refused URL. */
  readonly checkUrl: (url: string) => void;
}

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Returns true if a text can be compared with a column of type uuid. */
export const isUuid = (text: string): boolean => uuidPattern.test(text);

/**
 * Webhook endpoints in the package's own tables. A method sends one SQL statement, in the transaction or on the pool
 * `tx`. Every method concerns the endpoints of one owner; services without tenants pass `''`. Invalid input is an
 * `ApplicationError` of {@link webhookErrors} with the code `WEBHOOK_INPUT_INVALID`.
 */
export class Endpoints {
  readonly #statements: WebhookEndpointSqlStatements;

  constructor(private readonly environment: WebhookEndpointsDependencies) {
    this.#statements = createWebhookEndpointSqlStatements(environment.tables);
  }

  /**
   * Creates a webhook endpoint. The result contains the secret, which is not returned later. Until the end of the
   * transaction, other creations of endpoints for the owner wait. The transaction must be READ COMMITTED, so that the
   * count of endpoints includes the endpoints of concurrent transactions.
   *
   * @throws ApplicationError `WEBHOOK_URL_REFUSED`, `WEBHOOK_EVENT_TYPE_UNKNOWN` or `WEBHOOK_ENDPOINT_LIMIT`
   */
  async create(tx: QueueTx, owner: string, input: NewWebhookEndpoint): Promise<EndpointWithSecret> {
    const { sealer, maxEndpointsPerOwner } = this.environment;
    const endpoint = parseWebhookInput(newEndpointSchema, input);
    this.#check(endpoint);
    const { url, description, eventTypes, enabled, metadata, secret = generateWebhookSecret() } = endpoint;
    const id = randomUUID();
    const created = await this.#find(tx, 'insert', [
      parseWebhookInput(endpointOwnerSchema, owner),
      id,
      url,
      new URL(url).origin,
      description,
      eventTypes,
      enabled,
      JSON.stringify(metadata),
      encryptEndpointSecret(sealer, id, secret),
      maxEndpointsPerOwner,
    ]);
    if (created !== null) return { ...created, secret };
    throw webhookErrors.create('WEBHOOK_ENDPOINT_LIMIT', { params: { limit: maxEndpointsPerOwner } });
  }

  /** @throws ApplicationError `WEBHOOK_ENDPOINT_NOT_FOUND` if the owner has no webhook endpoint with the given id */
  async get(tx: QueueTx, owner: string, id: string): Promise<WebhookEndpoint> {
    return this.#one(tx, 'get', owner, id);
  }

  /** Lists the webhook endpoints of an owner in the order of their creation. */
  async list(tx: QueueTx, owner: string, query: ListPageQuery = {}): Promise<EndpointPage> {
    const { after = 0, limit } = parseWebhookInput(listPageQuerySchema, query);
    const { rows } = await tx.query<{ endpoint: WebhookEndpoint; sequence: number }>(this.#statements.list, [
      owner,
      after,
      limit + 1,
    ]);
    const page = rows.slice(0, limit);
    const next = rows.length > limit ? (page.at(-1)?.sequence ?? null) : null;
    return { endpoints: page.map(({ endpoint }) => endpoint), next };
  }

  /**
   * Changes a webhook endpoint. Queued deliveries are sent to the new URL of the endpoint.
   *
   * @throws ApplicationError `WEBHOOK_ENDPOINT_NOT_FOUND`, `WEBHOOK_URL_REFUSED` or `WEBHOOK_EVENT_TYPE_UNKNOWN`
   */
  async update(tx: QueueTx, owner: string, id: string, input: WebhookEndpointChange): Promise<WebhookEndpoint> {
    const change = parseWebhookInput(endpointChangeSchema, input);
    this.#check(change);
    const { url, description, eventTypes, enabled, metadata } = change;
    return this.#one(tx, 'update', owner, id, [
      url ?? null,
      url === undefined ? null : new URL(url).origin,
      description ?? null,
      eventTypes ?? null,
      enabled ?? null,
      metadata === undefined ? null : JSON.stringify(metadata),
    ]);
  }

  /**
   * Deletes a webhook endpoint. The deliveries of the endpoint remain in the log, and queued deliveries fail.
   *
   * @throws ApplicationError `WEBHOOK_ENDPOINT_NOT_FOUND`
   */
  async remove(tx: QueueTx, owner: string, id: string): Promise<void> {
    await this.#one(tx, 'remove', owner, id);
  }

  /**
   * Replaces the secret of an endpoint. Until the replaced secret expires, requests are signed with the new secret and
   * the replaced secret. The result contains the new secret, which is not returned later.
   *
   * @throws ApplicationError `WEBHOOK_ENDPOINT_NOT_FOUND`, or `WEBHOOK_SECRET_LIMIT` if {@link maxReplacedSecrets} replaced
   *   secrets have not expired
   */
  async rotateSecret(
    tx: QueueTx,
    owner: string,
    id: string,
    input: EndpointSecretRotation = {},
  ): Promise<EndpointWithSecret> {
    const { overlapSeconds, secret = generateWebhookSecret() } = parseWebhookInput(endpointSecretRotationSchema, input);
    const nowMs = this.environment.now();
    const rotated = isUuid(id)
      ? await this.#find(tx, 'rotate', [
          owner,
          id,
          encryptEndpointSecret(this.environment.sealer, id.toLowerCase(), secret),
          nowMs,
          overlapSeconds === 0 ? null : nowMs + overlapSeconds * 1000,
          maxReplacedSecrets,
        ])
      : null;
    if (rotated !== null) return { ...rotated, secret };
    await this.get(tx, owner, id);
    throw webhookErrors.create('WEBHOOK_SECRET_LIMIT', { params: { limit: maxReplacedSecrets } });
  }

  /**
   * Deletes the replaced secrets of endpoints whose replaced secrets have all expired. Returns the number of changed
   * endpoints.
   */
  async removeExpiredSecrets(tx: QueueTx): Promise<number> {
    const { rows } = await tx.query(this.#statements.removeExpired, [this.environment.now()]);
    return rows.length;
  }

  #check({ url, eventTypes = [] }: { readonly url?: string | undefined; readonly eventTypes?: string[] | undefined }) {
    const { eventTypes: known, checkUrl } = this.environment;
    if (url !== undefined) checkUrl(url);
    const type = eventTypes.find((name) => name !== allEventTypesName && known?.has(name) === false);
    if (type !== undefined) throw webhookErrors.create('WEBHOOK_EVENT_TYPE_UNKNOWN', { params: { type } });
  }

  async #one(
    tx: QueueTx,
    statement: 'get' | 'update' | 'remove',
    owner: string,
    id: string,
    values: readonly unknown[] = [],
  ): Promise<WebhookEndpoint> {
    const found = isUuid(id) ? await this.#find(tx, statement, [owner, id, ...values]) : null;
    if (found === null) throw webhookErrors.create('WEBHOOK_ENDPOINT_NOT_FOUND');
    return found;
  }

  async #find(
    tx: QueueTx,
    statement: keyof WebhookEndpointSqlStatements,
    values: unknown[],
  ): Promise<WebhookEndpoint | null> {
    const { rows } = await tx.query<{ endpoint: WebhookEndpoint }>(this.#statements[statement], values);
    return rows[0]?.endpoint ?? null;
  }
}
