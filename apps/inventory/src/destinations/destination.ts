import type { OutboundRequest, OutboundResponse } from '@switchboard/outbound';
import type { ModelDefinition } from '../engine/declaration/model.js';
import { sealedFields, sealPurpose } from '../engine/sealed/sealed-text.js';
import { identifier, literal } from '../engine/sql/pieces.js';
import type { Feature } from '../models/features/feature.js';
import type { WebhookSettings } from '../webhooks/settings.js';
import { UndeliverableError } from '../webhooks/undeliverable-error.js';

/** Properties of every action object. */
export interface StoredObject {
  /** Opaque text. */
  readonly id: string;
  readonly name: string;
}

/** A delivery whose attempt is ours until the lease ends. */
export interface ClaimedDelivery {
  readonly id: string;
  /** This attempt's number, from 1. It guards the record of its outcome. */
  readonly attempt: number;
  /** Attempts since the delivery was queued, this one included: fewer than `attempt` once it was requeued. */
  readonly tries: number;
  /** JSON text, as `eventContext` made it. */
  readonly payload: string;
  readonly actionType: string;
  /** The action object as it now is, for the destination of its kind. Null when it was deleted since. */
  readonly destination: StoredObject | null;
}

/** Action of event rules: its name and the model of its action objects. */
export interface EventAction {
  /** Value of `action_type`. Stored in rules and deliveries. */
  readonly actionType: string;
  /** Label of the value for clients. */
  readonly label: string;
  readonly model: ModelDefinition;
  /** Features of the model that its declaration does not show. */
  readonly features: readonly Feature[];
}

/** Services for building any request. */
export interface SendServices {
  /** Decrypts a sealed text. Throws when its key is not configured any more. */
  readonly openSealed: (sealed: string, purpose: string) => string;
  readonly settings: Pick<WebhookSettings, 'secretOverlapMs' | 'templates'>;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/** Services for building a request in addition to the delivery and its object. */
export interface BuildEnvironment<Secret extends string = never> extends Omit<SendServices, 'openSealed'> {
  /**
   * Decrypts a stored text of a secret field; '' when there is none.
   *
   * @throws UndeliverableError when its key is not configured any more
   */
  readonly openSecret: (field: Secret, stored: string) => string;
}

/** A request ready to be sent, and its body as text for the delivery's record. */
export interface BuiltRequest {
  readonly request: OutboundRequest;
  readonly body: string;
}

/** Error of a response. */
export interface Complaint {
  readonly error: string;
  /** True for a permanent failure. */
  readonly final?: boolean;
  /** Delay before the next attempt that the receiver asked for, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/** Kind of destination: everything that differs between deliveries of different action types. */
export interface DestinationDefinition<Stored extends StoredObject, Secret extends string> extends EventAction {
  /** Column of the model's table for each property that `build` reads, in addition to `id` and `name`. */
  readonly columns: Readonly<Record<Exclude<keyof Stored, keyof StoredObject>, string>>;
  /** The sealed fields of the model, all of them; `build` opens them. */
  readonly secretFields: readonly Secret[];
  /**
   * Column with the URL of the receiver. Deliveries to one origin share places and a circuit breaker. Null for a kind
   * that sends nothing.
   */
  readonly receiverColumn: string | null;
  /** @throws UndeliverableError when no attempt can succeed until the object is changed */
  build(delivery: ClaimedDelivery, stored: Stored, environment: BuildEnvironment<Secret>): Promise<BuiltRequest>;
  /** Returns null when the response is success. */
  checkResponse(response: OutboundResponse, nowMs: number): Complaint | null;
}

/** Destination as the delivery uses it; made by {@link defineDestination}. */
export interface Destination extends EventAction {
  /** Scalar subquery: the action object of the delivery `c` as JSON, or null when it was deleted since. */
  readonly storedSql: string;
  /**
   * Returns a scalar subquery: the origin of the receiver's URL in lower case, or a text that names the object where a
   * template makes the origin or the URL has credentials. Null for a kind that sends nothing.
   */
  readonly receiverSql: ((objectId: string) => string) | null;
  /** @throws UndeliverableError when no attempt can succeed until the object is changed */
  build(delivery: ClaimedDelivery, services: SendServices): Promise<BuiltRequest>;
  /** Returns null when the response is success. */
  checkResponse(response: OutboundResponse, nowMs: number): Complaint | null;
}

/**
 * Defines a kind of destination. Its action type becomes a choice of event rules, its model one of the API.
 *
 * @throws RangeError when `secretFields` are not the sealed fields of the model
 */
export function defineDestination<Stored extends StoredObject, Secret extends string = never>(
  definition: DestinationDefinition<Stored, Secret>,
): Destination {
  const { actionType, label, model, features, columns, secretFields, receiverColumn } = definition;
  if (sealedFields(model).toSorted().join() !== secretFields.toSorted().join()) {
    throw new RangeError(`secretFields of destination ${actionType} are not the sealed fields of ${model.type}`);
  }
  return {
    actionType,
    label,
    model,
    features,
    storedSql: storedSql(model, columns),
    receiverSql:
      receiverColumn === null
        ? null
        : (objectId) => `SELECT ${originSql(`o.${identifier(receiverColumn)}`, `${literal(`${actionType} `)} || o.id`)}
          FROM ${model.table} o WHERE o.id = ${objectId}`,
    build: async (delivery, { openSealed, ...services }) => {
      if (delivery.destination === null) throw new UndeliverableError(`The ${model.verboseName} was deleted.`);
      // The JSON has the properties of `columns`, whose keys are those of the type.
      const stored = delivery.destination as Stored;
      const openSecret = (field: Secret, sealed: string): string =>
        sealed === '' ? '' : openedSecret(model, stored, { field, open: (purpose) => openSealed(sealed, purpose) });
      return definition.build(delivery, stored, { ...services, openSecret });
    },
    checkResponse: (response, nowMs) => definition.checkResponse(response, nowMs),
  };
}

function storedSql({ table }: ModelDefinition, columns: Readonly<Record<string, string>>): string {
  const members = Object.entries(columns).map(([name, column]) => `, ${literal(name)}, o.${identifier(column)}`);
  return `SELECT json_build_object('id', o.id::text, 'name', o.name${members.join('')})
    FROM ${table} o WHERE o.id = c.action_object_id`;
}

function openedSecret(
  model: ModelDefinition,
  { name }: StoredObject,
  { field, open }: { readonly field: string; readonly open: (purpose: string) => string },
): string {
  try {
    return open(sealPurpose(model, field));
  } catch (cause) {
    const label = model.fields[field]?.traits.label ?? field.replaceAll('_', ' ');
    throw new UndeliverableError(`The ${label} of ${model.verboseName} ${name} cannot be decrypted.`, { cause });
  }
}

function originSql(url: string, otherwise: string): string {
  return `coalesce(lower(substring(${url} FROM '^[A-Za-z]+://[^/?#{}@[:space:]]+(?=[/?#]|$)')), ${otherwise})`;
}
