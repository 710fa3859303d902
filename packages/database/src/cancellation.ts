import { setTimeout as delay } from 'node:timers/promises';
import type { ClientBase, PoolClient } from 'pg';
import { sendCancelRequest } from './cancel-request.js';
import { ClientDisconnectedError } from './client-disconnect.js';
import { isCancelled, toError } from './refusals.js';

/** State of the work on a connection: `unsafe` while a cancel could hit BEGIN. */
export type WorkState = 'running' | 'unsafe' | 'over';

const FIRST_WAIT_MS = 5;
const LONGEST_WAIT_MS = 500;

/** Cancels under way, by connection. Each resolves with the error after which the connection must be closed. */
const cancels = new WeakMap<PoolClient, Promise<Error | undefined>>();

/**
 * Cancels what runs on a connection until `stateOf` says that it is over. One request is not enough: the server ignores
 * those that arrive before their statement. Resolves with the error of a request that may still arrive.
 */
export async function cancelUntilOver(client: ClientBase, stateOf: () => WorkState): Promise<Error | undefined> {
  let failure: Error | undefined;
  for (let waitMs = FIRST_WAIT_MS; stateOf() !== 'over'; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    try {
      if (stateOf() === 'running') await sendCancelRequest(client);
    } catch (error) {
      // It may still arrive, after the connection was given to other work.
      failure = toError(error);
    }
    if (stateOf() !== 'over') await delay(waitMs);
  }
  return failure;
}

/** Starts to cancel the work on a connection. {@link releaseAfterCancel} keeps the connection until that has ended. */
export function cancelWork(client: PoolClient, stateOf: () => WorkState): void {
  if (stateOf() !== 'over') cancels.set(client, cancelUntilOver(client, stateOf));
}

/** Waits until every cancel request for a connection was answered. Returns the error if one was not. */
export async function cancelAnswered(client: PoolClient): Promise<Error | undefined> {
  return cancels.get(client);
}

/** Runs a statement that changes nothing, for a signal of the last cancel request that is still on its way. */
async function absorbSignal(client: PoolClient): Promise<Error | undefined> {
  try {
    await client.query('SELECT 1');
    return undefined;
  } catch (error) {
    return isCancelled(error) ? undefined : toError(error);
  }
}

/** True if a connection on which this statement failed is as good as before: it was cancelled outside a transaction. */
function isReusable(client: PoolClient, error: unknown): boolean {
  return isCancelled(error) && Reflect.get(client, '_txStatus') === 'I';
}

/**
 * Makes a connection return to its pool only when no cancel request for it can hit other work any more: all of them
 * were answered, and a statement without effects has run since. A connection with an unanswered one is closed.
 *
 * @param released called when the connection has returned
 */
export function releaseAfterCancel(client: PoolClient, released: () => void): PoolClient {
  const give = client.release.bind(client);
  const release = (broken?: Error | boolean): void => {
    give(broken);
    released();
  };
  client.release = (broken) => {
    const fault = isReusable(client, broken) ? undefined : broken;
    const cancel = cancels.get(client);
    if (cancel === undefined) return release(fault);
    cancels.delete(client);
    void cancel.then((failure) => fault || failure || absorbSignal(client)).then((failure) => release(failure));
  };
  return client;
}

/** One statement that is cancelled when the client of its request disconnects, also while it waits for a connection. */
export class StatementCancel {
  #client: PoolClient | undefined;
  #isRequested = false;

  /** Cancels the statement, or prevents it from being sent. */
  request(): void {
    this.#isRequested = true;
    const client = this.#client;
    if (client !== undefined) cancelWork(client, () => (this.#client === client ? 'running' : 'over'));
  }

  /** Called before the statement is sent. @throws ClientDisconnectedError when it must not be. */
  started(client: PoolClient): void {
    if (this.#isRequested) throw new ClientDisconnectedError();
    this.#client = client;
  }

  /** Called when the statement has ended, before its connection is given back. */
  ended(): void {
    this.#client = undefined;
  }
}
