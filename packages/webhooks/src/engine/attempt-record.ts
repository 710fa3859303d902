import type { OutboundRequest, OutboundResponse } from '@switchboard/outbound';
import type { DeliveryTables } from './endpoint-source.js';

/** Text that replaces secret values in the record of a delivery attempt. */
const maskedSecretText = '********';

/** HTTP header values by name. A repeated header has a list of values. */
type HttpHeaderValues = Readonly<Record<string, string | readonly string[]>>;

/** Recorded request of a delivery attempt. */
export interface SentDeliveryRequest {
  readonly method: string;
  readonly url: string;
  /** Headers of the recorded request. The values of signatures and of additional headers are masked. */
  readonly headers: HttpHeaderValues;
  readonly body: string;
}

/** Recorded response of the receiver to a delivery attempt. */
export interface ReceivedDeliveryResponse {
  readonly status: number;
  /** Headers of the recorded response. The values of cookies are masked. */
  readonly headers: HttpHeaderValues;
  /** Body of the recorded response, or only its beginning if `truncated` is true. */
  readonly body: string;
  readonly truncated: boolean;
}

/** Record of a delivery attempt: the request, the response and the error. */
export interface DeliveryAttemptRecord {
  /** Recorded request of the attempt; null if no request was sent. */
  readonly request: SentDeliveryRequest | null;
  /** Recorded response of the attempt; null if no complete response arrived in time. */
  readonly response: ReceivedDeliveryResponse | null;
  /** Error message of the delivery attempt; null for a success. */
  readonly error: string | null;
  readonly durationMs: number;
}

/**
 * Returns the record of the request of a delivery attempt. Masks the values of headers that must not be sent to other
 * hosts.
 */
export function createSentRequestRecord(
  { method = 'GET', url, headers = {}, sensitiveHeaders = [] }: OutboundRequest,
  body: string,
): SentDeliveryRequest {
  const secret = new Set([...sensitiveHeaders, 'authorization', 'cookie']);
  return { method, url, body, headers: maskSecretHeaderValues(headers, (name) => secret.has(name)) };
}

/** Returns the record of the response to a delivery attempt. The values of cookies are masked. */
export function createReceivedResponseRecord({
  status,
  headers,
  body,
  truncated,
}: OutboundResponse): ReceivedDeliveryResponse {
  const kept = maskSecretHeaderValues(headers, (name) => name.startsWith('set-cookie'));
  return { status, headers: kept, body: body.toString('utf8'), truncated };
}

function maskSecretHeaderValues(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  isSecret: (name: string) => boolean,
): HttpHeaderValues {
  const kept = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, isSecret(name) ? maskedSecretText : value] as const],
  );
  return Object.fromEntries(kept);
}

/**
 * Returns the SQL statement that inserts the attempt of an updated delivery. `delivery` is the alias of the updated
 * row. {@link createInsertAttemptParameters} returns the parameters. The first three parameters of the statement belong to
 * the update of the delivery; the parameters of the insertion start at number `first`. A request body that equals the
 * payload of the delivery is not stored again.
 */
export function createInsertAttemptSql(
  { attempts }: Pick<DeliveryTables, 'attempts'>,
  delivery: string,
  first: number,
): string {
  const [method, url, headers, body, responseHeaders, responseBody, truncated] = Array.from(
    { length: 7 },
    (_, index) => `$${first + index}`,
  );
  return `INSERT INTO ${attempts} (delivery_sequence, number, started, duration_ms, request_method,
      request_url, request_headers, request_body, response_status, response_headers, response_body,
      response_truncated, error)
    SELECT sequence, attempts, last_attempt_at, duration_ms, ${method}::text, ${url}::text, ${headers}::json,
           nullif(${body}::text, payload::text), response_status, ${responseHeaders}::json, ${responseBody}::text,
           ${truncated}::boolean, error
      FROM ${delivery}`;
}

/** Returns the parameter values for the SQL statement {@link createInsertAttemptSql}. */
export function createInsertAttemptParameters({
  request,
  response,
  error,
  durationMs,
}: DeliveryAttemptRecord): unknown[] {
  return [
    response?.status ?? null,
    replaceNulCharacters(error),
    Math.round(durationMs),
    request?.method ?? null,
    replaceNulCharacters(request?.url ?? null),
    request && JSON.stringify(request.headers),
    replaceNulCharacters(request?.body ?? null),
    response && JSON.stringify(response.headers),
    replaceNulCharacters(response?.body ?? null),
    response?.truncated ?? false,
  ];
}

/** Replaces NUL characters in a text, because PostgreSQL cannot store NUL characters. */
function replaceNulCharacters(text: string | null): string | null {
  return text?.replaceAll('\0', '\uFFFD') ?? null;
}
