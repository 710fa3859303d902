import type { z } from 'zod';
import { formatErrorText } from '../environment.js';
import { decodeDatesInJsonValue } from '../payload-json.js';
import { QueueUsageError } from '../queue-usage-error.js';

/**
 * Options of {@link defineOutboxMessage}. `I` is the input of the schema and `P` the output. The types differ if the
 * schema transforms the input.
 */
export interface OutboxMessageOptions<P, I = P> {
  /**
   * Name of the message type, made of letters, digits, `.`, `_` and `-`; for example `inventory.changes`. A name must
   * never be reused for another meaning.
   */
  name: string;
  /**
   * Version of the payload's schema, starting with 1. The version must be increased when rows written earlier can no
   * longer be parsed.
   */
  version: number;
  /**
   * Schema of the message's payload. The input of the schema must be representable as JSON; dates are also supported.
   */
  payload: z.ZodType<P, I>;
  /**
   * Order in which the outbox rows of the message type are dispatched. With `key`, rows of one key are dispatched in
   * the order of their commits, and each row needs a key. Default `none`.
   */
  order?: 'none' | 'key';
  /**
   * With `order: 'key'`, true if each transaction that adds a row has a row lock that stands for the key until COMMIT.
   * Rows then have the order in which these locks were taken, and `flush` takes no lock for the key. Default false.
   */
  writerLocksKey?: boolean;
  /**
   * Function that converts the payload of an older version to the current schema. If undefined, the stored payload of
   * an older version is parsed by the current schema. Rows that do not match become dead letters, with an error that
   * names the version.
   */
  upgrade?: (payload: unknown, version: number) => unknown;
}

/** An outbox message type. The code that adds rows and the code that dispatches rows use the same message type. */
export interface OutboxMessageType<P, I = P> {
  readonly name: string;
  readonly version: number;
  readonly order: 'none' | 'key';
  /** True if `flush` locks the keys of the added outbox rows until COMMIT. */
  readonly locksKeys: boolean;
  readonly payload: z.ZodType<P, I>;
  /**
   * Converts a stored payload of an outbox row to the current schema version, and returns the parsed payload.
   *
   * @throws ZodError when the payload does not match the schema
   * @throws OutboxMessageVersionError when a payload of an older version does not match
   */
  read(payload: unknown, version: number): P;
}

/**
 * Error for an outbox row of an older version that does not match the current schema. Deploy a version with an
 * `upgrade` function, then requeue the row.
 */
export class OutboxMessageVersionError extends Error {
  override readonly name = 'OutboxMessageVersionError';
}

/**
 * Name of the outbox message type of event log rows. Event log rows have no separate payload schema, no key and no
 * `notBefore`.
 */
export const EVENT_LOG_TOPIC = 'event-log';

const MESSAGE_TYPE_NAME_PATTERN = /^[A-Za-z][A-Za-z0-9._-]{0,99}$/;

/**
 * Checks that a name may become part of Redis keys and queue names.
 *
 * @throws QueueUsageError if the name is not valid
 */
export function assertMessageTypeName(kind: string, name: string): void {
  if (!MESSAGE_TYPE_NAME_PATTERN.test(name))
    throw new QueueUsageError(`${kind} name ${JSON.stringify(name)} must match ${String(MESSAGE_TYPE_NAME_PATTERN)}`);
}

/**
 * Defines an outbox message type.
 *
 * @throws QueueUsageError when the name or version is not valid
 */
export function defineOutboxMessage<P, I>(options: OutboxMessageOptions<P, I>): OutboxMessageType<P, I> {
  assertMessageTypeName('Topic', options.name);
  if (options.name === EVENT_LOG_TOPIC) throw new QueueUsageError(`Topic ${EVENT_LOG_TOPIC} belongs to the event log`);
  if (!Number.isInteger(options.version) || options.version < 1) {
    throw new QueueUsageError(`Topic ${options.name}: version must be an integer from 1`);
  }
  return {
    name: options.name,
    version: options.version,
    order: options.order ?? 'none',
    locksKeys: options.order === 'key' && options.writerLocksKey !== true,
    payload: options.payload,
    read: (stored, version) => {
      const payload = decodeDatesInJsonValue(stored);
      return version < options.version
        ? convertOlderMessagePayload(options, payload, version)
        : options.payload.parse(payload);
    },
  };
}

function convertOlderMessagePayload<P, I>(options: OutboxMessageOptions<P, I>, payload: unknown, version: number): P {
  const { name, upgrade } = options;
  try {
    return options.payload.parse(upgrade ? upgrade(payload, version) : payload);
  } catch (error) {
    const how = upgrade ? 'and its upgrade failed' : 'and the topic declares no upgrade';
    const text = `Topic ${name}: a row of version ${version} does not fit version ${options.version}, ${how}`;
    throw new OutboxMessageVersionError(`${text}: ${formatErrorText(error)}`, { cause: error });
  }
}
