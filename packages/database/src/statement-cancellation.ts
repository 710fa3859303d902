import { setTimeout as delay } from 'node:timers/promises';
import type { ClientBase, PoolClient } from 'pg';
import { sendCancelRequest } from './cancel-request.js';
import { ClientDisconnectedError } from './client-disconnect.js';
import { isStatementCancellationError, convertThrownValueToError } from './connection-errors.js';

/**
 * State of the statements on a connection, for cancellation. `unsafe` means that a cancel request could cancel BEGIN;
 * `over` means that no statement is running.
 */
export type StatementCancellationState = 'running' | 'unsafe' | 'over';

const FIRST_CANCEL_RETRY_DELAY_MS = 5;
const MAX_CANCEL_RETRY_DELAY_MS = 500;

/**
 * Running cancellations by database connection. Each promise resolves with an error if its connection must be closed
 * afterwards, otherwise with undefined.
 */
const cancellationByClient = new WeakMap<PoolClient, Promise<Error | undefined>>();

/**
 * Sends cancel requests for the running statement of a connection until `stateOf` returns `over`. A single request may
 * have no effect, because the server ignores a cancel request that arrives before the statement. Resolves with an error
 * if a cancel request may still arrive at the server later.
 */
export async function cancelStatementUntilEnded(
  client: ClientBase,
  stateOf: () => StatementCancellationState,
): Promise<Error | undefined> {
  let failure: Error | undefined;
  for (
    let waitMs = FIRST_CANCEL_RETRY_DELAY_MS;
    stateOf() !== 'over';
    waitMs = Math.min(waitMs * 2, MAX_CANCEL_RETRY_DELAY_MS)
  ) {
    try {
      if (stateOf() === 'running') await sendCancelRequest(client);
    } catch (error) {
      // The request may still arrive after the connection was assigned to other work.
      failure = convertThrownValueToError(error);
    }
    if (stateOf() !== 'over') await delay(waitMs);
  }
  return failure;
}

/**
 * Starts to cancel the running statement on a connection. With {@link releaseConnectionAfterCancellation}, the connection returns
 * to its pool only after the cancellation has ended.
 */
export function startStatementCancellation(client: PoolClient, stateOf: () => StatementCancellationState): void {
  if (stateOf() !== 'over') cancellationByClient.set(client, cancelStatementUntilEnded(client, stateOf));
}

/**
 * Waits until the server has responded to every cancel request for a connection. Returns the error of a cancel request
 * that got no response, otherwise undefined.
 */
export async function waitForStatementCancellation(client: PoolClient): Promise<Error | undefined> {
  return cancellationByClient.get(client);
}

/**
 * Runs a statement without effects on a connection, so that a late cancel signal cannot cancel a later statement.
 * Returns an error if the connection is unusable.
 */
async function absorbLateCancelSignal(client: PoolClient): Promise<Error | undefined> {
  try {
    await client.query('SELECT 1');
    return undefined;
  } catch (error) {
    return isStatementCancellationError(error) ? undefined : convertThrownValueToError(error);
  }
}

/**
 * Returns true if the connection is usable after a failed statement. This is the case if the statement was cancelled
 * outside a transaction.
 */
function isConnectionReusableAfterStatement(client: PoolClient, error: unknown): boolean {
  return isStatementCancellationError(error) && Reflect.get(client, '_txStatus') === 'I';
}

/**
 * Returns a connection to its pool once no cancel request can affect other work on the connection. By then, the server
 * has responded to all requests, and a statement without effects has run. If a request failed, the connection is
 * closed.
 *
 * @param onReleased called when the connection has returned
 */
export function releaseConnectionAfterCancellation(client: PoolClient, onReleased: () => void): PoolClient {
  const give = client.release.bind(client);
  const release = (broken?: Error | boolean): void => {
    give(broken);
    onReleased();
  };
  client.release = (broken) => {
    const fault = isConnectionReusableAfterStatement(client, broken) ? undefined : broken;
    const cancel = cancellationByClient.get(client);
    if (cancel === undefined) return release(fault);
    cancellationByClient.delete(client);
    void cancel
      .then((failure) => fault || failure || absorbLateCancelSignal(client))
      .then((failure) => release(failure));
  };
  return client;
}

/**
 * Cancels one SQL statement when the client of the statement's request disconnects. A statement that still waits for a
 * connection is not sent.
 */
export class StatementCancellation {
  #client: PoolClient | undefined;
  #isRequested = false;

  /**
   * Cancels the running statement when the client disconnects. If the statement still waits for a connection, it is not
   * sent.
   */
  cancelRunningStatement(): void {
    this.#isRequested = true;
    const client = this.#client;
    if (client !== undefined) startStatementCancellation(client, () => (this.#client === client ? 'running' : 'over'));
  }

  /**
   * Records that the statement is about to be sent on a connection.
   *
   * @throws ClientDisconnectedError if the client has already disconnected
   */
  recordStatementStart(client: PoolClient): void {
    if (this.#isRequested) throw new ClientDisconnectedError();
    this.#client = client;
  }

  /** Records that the statement has ended. Called before the connection returns to the pool. */
  recordStatementEnd(): void {
    this.#client = undefined;
  }
}
