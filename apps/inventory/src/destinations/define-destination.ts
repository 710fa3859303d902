import type { OutboundResponse } from '@switchboard/outbound';
import { UndeliverableError, type BuiltRequest, type ReceiverResponseProblem } from '@switchboard/webhooks';
import type { ModelDefinition } from '../engine/declaration/define-model.js';
import { listEncryptedFieldNames, createFieldEncryptionPurpose } from '../engine/sealed/encrypted-text-sql.js';
import { quoteSqlIdentifier, quoteSqlLiteral } from '../engine/sql/json-text-sql.js';
import type { ModelFeature } from '../models/features/model-feature.js';
import type { WebhookSettings } from '../webhooks/webhook-settings.js';

/**
 * Columns that the tables of all kinds of action objects have. Action objects are receivers of events, such as webhooks
 * and chat destinations.
 */
export interface StoredActionObject {
  /** Id of the action object (for example a webhook), as text. */
  readonly id: string;
  readonly name: string;
}

/**
 * A delivery of an event that the current process has claimed for one attempt. The claim is valid until the lease ends.
 */
export interface ClaimedEventDelivery {
  readonly id: string;
  /**
   * Number of the current delivery attempt, counted from 1. The outcome of the attempt is recorded only if no later
   * attempt was claimed.
   */
  readonly attempt: number;
  /**
   * Number of attempts since the delivery was last queued, including the current attempt. After the delivery was queued
   * again, the number is less than `attempt`.
   */
  readonly tries: number;
  /** JSON text of the event that the delivery sends, created by `createEventContext`. */
  readonly payload: string;
  readonly actionType: string;
  /**
   * The stored action object (such as a webhook) to which the event is sent, with the columns of the destination kind.
   * Null if the action object was deleted.
   */
  readonly destination: StoredActionObject | null;
}

/** An action that event rules can trigger: the name of the action, and the model of the action objects. */
export interface EventRuleAction {
  /** Value of the field `action_type` in event rules and deliveries, such as `webhook`. */
  readonly actionType: string;
  /** Label of the action type in responses of the API. */
  readonly label: string;
  readonly model: ModelDefinition;
  /**
   * Features of the action objects' model that cannot be derived from the model's fields, such as support of event
   * rules.
   */
  readonly features: readonly ModelFeature[];
}

/** Functions and settings with which the requests of all destination kinds are built, such as decryption. */
export interface DestinationRequestServices {
  /**
   * Function that decrypts a text that was encrypted for the given purpose. Throws if the encryption key is no longer
   * configured.
   */
  readonly openSealed: (sealed: string, purpose: string) => string;
  readonly settings: Pick<WebhookSettings, 'secretOverlapMs' | 'templates'>;
  /** Current time of the delivery attempt, in milliseconds since the epoch. */
  readonly nowMs: number;
}

/**
 * Functions and settings with which a destination kind builds the request of a delivery, such as the decryption of
 * secrets.
 */
export interface DeliveryRequestBuildServices<Secret extends string = never> extends Omit<
  DestinationRequestServices,
  'openSealed'
> {
  /**
   * Function that decrypts the stored text of a secret field. Returns '' for an empty string.
   *
   * @throws UndeliverableError if the encryption key is no longer configured
   */
  readonly openSecret: (field: Secret, stored: string) => string;
}

/**
 * Declaration of a destination kind, such as webhook or chat: the model of the destination, the columns, and the
 * functions that send events.
 */
export interface EventDestinationDefinition<
  Stored extends StoredActionObject,
  Secret extends string,
> extends EventRuleAction {
  /**
   * Map from property names to columns of the destination's table. The function `build` receives the value of each
   * column under the property name. The columns `id` and `name` are always included.
   */
  readonly columns: Readonly<Record<Exclude<keyof Stored, keyof StoredActionObject>, string>>;
  /** Names of all encrypted fields of the model, which `build` can decrypt. */
  readonly secretFields: readonly Secret[];
  /**
   * Column that contains the receiver's URL. Deliveries to URLs with equal origin share concurrency limits and a
   * circuit breaker. Null for a destination kind that sends no requests.
   */
  readonly receiverColumn: string | null;
  /**
   * Builds the HTTP request of a delivery attempt.
   *
   * @throws UndeliverableError if no attempt can succeed before the destination is changed
   */
  build(
    delivery: ClaimedEventDelivery,
    stored: Stored,
    environment: DeliveryRequestBuildServices<Secret>,
  ): Promise<BuiltRequest>;
  /** Returns the error that a destination's HTTP response indicates, or null if the response is a success. */
  checkResponse(response: OutboundResponse, nowMs: number): ReceiverResponseProblem | null;
}

/** A destination kind, such as webhook or chat, with the derived SQL. Created by {@link defineEventDestination}. */
export interface EventDestination extends EventRuleAction {
  /**
   * SQL scalar subquery that returns the action object of the delivery `c` as JSON. The result is null if the action
   * object was deleted.
   */
  readonly storedSql: string;
  /**
   * Function that returns an SQL scalar subquery for the receiver of deliveries. The receiver is the origin of the URL
   * in lower case. If a template produces the origin, or the URL contains credentials, the receiver is a text that
   * identifies the action object. Null for a destination kind that sends no requests.
   */
  readonly receiverSql: ((objectId: string) => string) | null;
  /**
   * Builds the HTTP request of a delivery attempt.
   *
   * @throws UndeliverableError if no attempt can succeed before the destination is changed
   */
  build(delivery: ClaimedEventDelivery, services: DestinationRequestServices): Promise<BuiltRequest>;
  /** Returns the error that a destination's HTTP response indicates, or null if the response is a success. */
  checkResponse(response: OutboundResponse, nowMs: number): ReceiverResponseProblem | null;
}

/**
 * Defines a destination kind. The action type becomes a choice of event rules, and the model of the action objects gets
 * endpoints.
 *
 * @throws RangeError if `secretFields` are not the encrypted fields of the model
 */
export function defineEventDestination<Stored extends StoredActionObject, Secret extends string = never>(
  definition: EventDestinationDefinition<Stored, Secret>,
): EventDestination {
  const { actionType, label, model, features, columns, secretFields, receiverColumn } = definition;
  if (listEncryptedFieldNames(model).toSorted().join() !== secretFields.toSorted().join()) {
    throw new RangeError(`secretFields of destination ${actionType} are not the sealed fields of ${model.type}`);
  }
  return {
    actionType,
    label,
    model,
    features,
    storedSql: createStoredActionObjectSql(model, columns),
    receiverSql:
      receiverColumn === null
        ? null
        : (
            objectId,
          ) => `SELECT ${createUrlOriginSql(`o.${quoteSqlIdentifier(receiverColumn)}`, `${quoteSqlLiteral(`${actionType} `)} || o.id`)}
          FROM ${model.table} o WHERE o.id = ${objectId}`,
    build: async (delivery, { openSealed, ...services }) => {
      if (delivery.destination === null) throw new UndeliverableError(`The ${model.verboseName} was deleted.`);
      // The JSON has the properties of `columns`, whose keys are those of `Stored`.
      const stored = delivery.destination as Stored;
      const openSecret = (field: Secret, sealed: string): string =>
        sealed === ''
          ? ''
          : decryptActionObjectSecret(model, stored, { field, open: (purpose) => openSealed(sealed, purpose) });
      return definition.build(delivery, stored, { ...services, openSecret });
    },
    checkResponse: (response, nowMs) => definition.checkResponse(response, nowMs),
  };
}

function createStoredActionObjectSql({ table }: ModelDefinition, columns: Readonly<Record<string, string>>): string {
  const members = Object.entries(columns).map(
    ([name, column]) => `, ${quoteSqlLiteral(name)}, o.${quoteSqlIdentifier(column)}`,
  );
  return `SELECT json_build_object('id', o.id::text, 'name', o.name${members.join('')})
    FROM ${table} o WHERE o.id = c.action_object_id`;
}

function decryptActionObjectSecret(
  model: ModelDefinition,
  { name }: StoredActionObject,
  { field, open }: { readonly field: string; readonly open: (purpose: string) => string },
): string {
  try {
    return open(createFieldEncryptionPurpose(model, field));
  } catch (cause) {
    const label = model.fields[field]?.traits.label ?? field.replaceAll('_', ' ');
    throw new UndeliverableError(`The ${label} of ${model.verboseName} ${name} cannot be decrypted.`, { cause });
  }
}

function createUrlOriginSql(url: string, otherwise: string): string {
  return `coalesce(lower(substring(${url} FROM '^[A-Za-z]+://[^/?#{}@[:space:]]+(?=[/?#]|$)')), ${otherwise})`;
}
