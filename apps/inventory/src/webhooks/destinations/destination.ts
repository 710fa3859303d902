import type { OutboundRequest, OutboundResponse } from '@switchboard/outbound';
import type { WebhookSettings } from '../settings.js';
import type { StoredObject } from './stored-object.js';

/** A delivery whose attempt is ours until the lease ends. */
export interface ClaimedDelivery {
  readonly id: string;
  /** This attempt's number, from 1. It guards the record of its outcome. */
  readonly attempt: number;
  /** Attempts since the delivery was queued, this one included: fewer than `attempt` once it was requeued. */
  readonly tries: number;
  /** JSON text, as `eventContext` made it. */
  readonly payload: string;
  /** As in event rules: `webhook` and its like. */
  readonly actionType: string;
  /** The action object as it now is, for the destination of its kind. Null when it was deleted since. */
  readonly destination: StoredObject | null;
}

/** Decrypts a stored secret; null when there is none. Throws when the key is not configured any more. */
export type OpenSecret = (stored: string) => string | null;

/** Services for building a request in addition to the delivery. */
export interface BuildEnvironment {
  readonly openSecret: OpenSecret;
  /** Opens the key of a chat destination's bot, see {@link OpenSecret}. */
  readonly openBotKey: OpenSecret;
  readonly settings: Pick<WebhookSettings, 'secretOverlapMs' | 'templates'>;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/** A request ready to be sent, and its body as text for the delivery's record. */
export interface BuiltRequest {
  readonly request: OutboundRequest;
  readonly body: string;
}

/** Error of a response. */
export interface Complaint {
  readonly error: string;
  /** Whether no repetition can help. */
  readonly final?: boolean;
  /** Delay before the next attempt that the receiver asked for, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/** Kind of destination: everything that differs between deliveries of different action types. */
export interface Destination<Stored = unknown> {
  /** Name of its objects, for "The <noun> was deleted." */
  readonly noun: string;
  /** A scalar subquery: the action object of the delivery `c` as JSON, or null when it was deleted since. */
  readonly storedSql: string;
  /**
   * A scalar subquery: who receives what the action object with this id sends, as {@link originSql} tells; null when the
   * object is gone. Null for a kind that sends to nobody.
   */
  readonly receiverSql: ((objectId: string) => string) | null;
  /** @throws UndeliverableError when no attempt can succeed until somebody changes the object */
  build(delivery: ClaimedDelivery, stored: Stored, environment: BuildEnvironment): Promise<BuiltRequest>;
  /** Null when the response is success. */
  complaint(response: OutboundResponse, nowMs: number): Complaint | null;
}

/**
 * SQL for the origin of a URL. Where a template makes it, or it holds credentials, `otherwise`: a text that names the
 * object itself.
 */
export function originSql(url: string, otherwise: string): string {
  return `coalesce(lower(substring(${url} FROM '^[A-Za-z]+://[^/?#{}@[:space:]]+(?=[/?#]|$)')), ${otherwise})`;
}
