import type { FastifyBaseLogger } from 'fastify';
import type { AuditActor } from './request-origin.js';
import { requestContextStorage, type RequestContext } from './request-context.js';

/** Description of an audit action: when its line is written, and the fields of the line. */
export interface AuditActionDescription {
  /** Event after which the line is written, as a noun phrase. */
  readonly when: string;
  /** Type of the object that the action is about. */
  readonly object: string;
  /** Descriptions of the fields that only this action has, by name. Default: no such fields. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** Audit actions of a service by name. */
export type AuditActions = Readonly<Record<string, AuditActionDescription>>;

type FieldsOf<Description> = Description extends { readonly fields: infer Fields }
  ? { readonly [Name in keyof Fields]: unknown }
  : object;

/** Values of one audit line: the object's id, the actor, and the fields that its action declares. */
export type AuditLine<Description extends AuditActionDescription> = FieldsOf<Description> & {
  /** Id of the object; null if it is unknown or does not exist. */
  readonly id: number | string | null;
  /** Account that performs the action. Null for no account. Default: the account that the request was authenticated as. */
  readonly actor?: AuditActor | null;
};

/** Maximum length of the JSON of a field's value. Of a longer value, a line contains the beginning and the length. */
const MAX_VALUE_LENGTH = 2000;

/** Number of lines that are written without a pause, so that standard output can be read in between. */
const LINES_PER_TURN = 500;

/**
 * Audit trail of a service: log lines about sign-ins, and about changes of roles, keys, permissions and settings. Each
 * line has the fields `module` (`audit`), `action`, `actor`, `address`, `requestId` and `object`. The log level does
 * not hide audit lines, unless it is `silent`.
 */
export class AuditTrail<const Actions extends AuditActions> {
  readonly #linesOfTransactions = new WeakMap<object, (() => void)[]>();

  /** @param actions all actions of the service */
  constructor(readonly actions: Actions) {}

  /**
   * Adds a line about a change in a transaction. The line is written when the transaction has committed, once, also if
   * the transaction is repeated. Without a commit, no line is written. Outside a request or job, no line is written
   * either, because each admin command writes a line itself.
   *
   * @throws TypeError when `tx` is not an open transaction
   */
  add<Name extends keyof Actions & string>(tx: object, action: Name, line: AuditLine<Actions[Name]>): void {
    if (Reflect.get(tx, 'isOpen') !== true) throw new TypeError('An audit line about a change needs its transaction');
    const write = this.#prepare(action, line);
    if (write === null) return;
    const lines = this.#linesOfTransactions.get(tx);
    if (lines === undefined) this.#linesOfTransactions.set(tx, [write]);
    else lines.push(write);
  }

  /** Writes a line immediately, for actions without a transaction. */
  write<Name extends keyof Actions & string>(action: Name, line: AuditLine<Actions[Name]>): void {
    this.#prepare(action, line)?.();
  }

  /**
   * Writes the lines of a committed transaction, the first 500 immediately and the others in later turns of the event
   * loop. Call it in `afterCommit` of the database.
   */
  writeCommitted(tx: object): void {
    const lines = this.#linesOfTransactions.get(tx) ?? [];
    this.#linesOfTransactions.delete(tx);
    const writeNext = (): void => {
      for (const write of lines.splice(0, LINES_PER_TURN)) write();
      if (lines.length > 0) setImmediate(writeNext);
    };
    writeNext();
  }

  /** Returns a function that writes the line; null if there is no request or job, or if its log is silent. */
  #prepare<Name extends keyof Actions & string>(action: Name, line: AuditLine<Actions[Name]>): (() => void) | null {
    const context = requestContextStorage.getStore();
    if (context === undefined || context.log.level === 'silent') return null;
    const { id, actor = context.origin?.actor ?? null, ...fields } = line;
    const object = { type: this.actions[action]?.object, id };
    const address = context.origin?.address ?? null;
    const values = limitValues(fields);
    return () => auditLogger(context).info({ action, actor, address, object, ...values }, 'audit');
  }
}

/** Returns the logger of a request's or job's audit lines. Level and field `module` are those of all audit lines. */
function auditLogger({ log }: RequestContext): Pick<FastifyBaseLogger, 'info'> {
  return log.child({ module: 'audit' }, { level: 'info' });
}

function limitValues(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, limitLength(value, name)]));
}

/** Shortens a value whose JSON is too long. Of `before` and `after`, only the long properties are shortened. */
function limitLength(value: unknown, name: string): unknown {
  const isState = (name === 'before' || name === 'after') && typeof value === 'object' && value !== null;
  if (isState) return limitValues(value);
  const json = JSON.stringify(value) ?? '';
  if (json.length <= MAX_VALUE_LENGTH) return value;
  return `${json.slice(0, MAX_VALUE_LENGTH)}… (${json.length} characters)`;
}
