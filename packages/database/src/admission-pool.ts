import { AsyncResource } from 'node:async_hooks';
import { Socket } from 'node:net';
import pg from 'pg';
import {
  DatabaseConnectionAdmission,
  type ConnectionWaitLimits,
  type WaitingDatabaseWork,
} from './admission/connection-admission.js';
import { DatabaseConnectionActivity } from './admission/connection-activity.js';
import { readPgConnectionProperty } from './connection-property.js';
import type { DatabaseConnectionPermit } from './admission/connection-ticket.js';
import { serviceDatabaseWorkload, type DatabaseWorkClassAndUser } from './admission/database-workload.js';
import { releaseConnectionAfterCancellation } from './statement-cancellation.js';
import { type ClientDisconnectObserver, ClientDisconnectedError } from './client-disconnect.js';
import { UnresponsiveConnectionCloser } from './close-silent-connections.js';

type PoolConnectCallback = Parameters<pg.Pool['connect']>[0];

/** Options with which a caller requests a database connection from a pool for its work. */
export interface DatabaseConnectionRequest {
  /**
   * Class and user of the database work that requests the connection. If undefined, the class and user of the calling
   * code are used.
   */
  readonly work?: DatabaseWorkClassAndUser | undefined;
  /** Client of the request. If the client disconnects, the wait for the connection ends with an error. */
  readonly disconnect?: ClientDisconnectObserver | undefined;
  /** Callback that is called when the waiting work gets a connection. */
  readonly onAdmitted?: (() => void) | undefined;
}

export interface AdmissionControlledPoolOptions {
  readonly config: pg.PoolConfig & { readonly max: number };
  readonly limits: ConnectionWaitLimits;
  /** Default time limit of a statement, in milliseconds; undefined or 0 for no limit. */
  readonly statementTimeoutMs: number | undefined;
  /**
   * Time in milliseconds that is added to the time limit of a statement. If the server has sent nothing by then, the
   * connection is closed.
   */
  readonly responseMarginMs: number;
  /**
   * Callback that is called when the server has not responded on a connection in time. The argument is the number of
   * milliseconds since the last received byte.
   */
  readonly onSilence: (silentMs: number) => void;
  /** Callback that is called when open connections are replaced because their server may no longer be the primary. */
  readonly onConnectionsReplaced: () => void;
  /**
   * Returns the class and user of the database work that requests a connection. Returns undefined for short work of the
   * service itself.
   */
  readonly workload: () => DatabaseWorkClassAndUser | undefined;
}

/**
 * A connection pool that uses {@link DatabaseConnectionAdmission} to decide which work gets a connection. The pool
 * calls the caller back in the caller's own async context. `pg` would use the context of the request that released the
 * connection, so the log would show a wrong request id. A connection returns to the pool after its cancel requests are
 * complete. The connection is closed instead if its prepared statements are too long. It is also closed if the server
 * has stopped responding or accepts only reads.
 */
export class AdmissionControlledPool extends pg.Pool {
  readonly admission: DatabaseConnectionAdmission;
  readonly #currentWorkload: () => DatabaseWorkClassAndUser | undefined;
  readonly #activities = new Map<pg.PoolClient, DatabaseConnectionActivity>();
  readonly #silentConnections: UnresponsiveConnectionCloser;
  readonly #onConnectionsReplaced: () => void;
  #connectionRequest: DatabaseConnectionRequest | undefined;

  constructor(options: AdmissionControlledPoolOptions) {
    const { config, limits, workload } = options;
    super(config);
    this.#currentWorkload = workload;
    this.#onConnectionsReplaced = options.onConnectionsReplaced;
    this.admission = new DatabaseConnectionAdmission(config.max, limits, this.#activities);
    this.#silentConnections = new UnresponsiveConnectionCloser({
      activities: this.#activities,
      statementTimeoutMs: options.statementTimeoutMs,
      marginMs: options.responseMarginMs,
      onSilence: (silentMs) => {
        options.onSilence(silentMs);
        this.replaceConnections();
      },
    });
    this.on('remove', (client) => this.#activities.delete(client));
  }

  /**
   * Starts to record the activity of a new database connection. Returns the object that contains the recorded activity.
   */
  trackConnectionActivity(client: pg.PoolClient): DatabaseConnectionActivity {
    const activity = new DatabaseConnectionActivity();
    this.#activities.set(client, activity);
    this.#silentConnections.startPeriodicChecks();
    return activity;
  }

  /**
   * Replaces all open connections of the pool, because their server may no longer be the primary. Each connection is
   * closed on the return to the pool, or before other work would get it.
   */
  replaceConnections(): void {
    this.#replace([...this.#activities.values()]);
  }

  /**
   * Replaces all open connections of the pool, because a new connection leads to another primary server. A connection
   * that is in use is closed early if its server sends nothing during a statement.
   */
  replaceConnectionsToFormerPrimary(): void {
    for (const activity of this.#activities.values()) activity.leadsToFormerPrimary = true;
    this.replaceConnections();
  }

  /**
   * Replaces the open connections of the pool whose server accepted only reads when they were opened. Does nothing if
   * the pool has no such connection.
   */
  replaceReadOnlyConnections(): void {
    const readOnly = [...this.#activities.values()].filter(
      ({ isOpenedReadOnly, mustBeReplaced }) => isOpenedReadOnly && !mustBeReplaced,
    );
    if (readOnly.length > 0) this.#replace(readOnly);
  }

  #replace(activities: readonly DatabaseConnectionActivity[]): void {
    for (const activity of activities) activity.mustBeReplaced = true;
    this.#onConnectionsReplaced();
  }

  /**
   * Calls `run` and returns its result. The options in `request` apply to the first connection that `run` requests
   * synchronously.
   */
  runWithConnectionRequest<T>(request: DatabaseConnectionRequest, run: () => T): T {
    this.#connectionRequest = request;
    try {
      return run();
    } finally {
      this.#connectionRequest = undefined;
    }
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: PoolConnectCallback): void;
  override connect(callback?: PoolConnectCallback): Promise<pg.PoolClient> | void {
    const request = this.#connectionRequest;
    this.#connectionRequest = undefined;
    const work = request?.work ?? this.#currentWorkload() ?? serviceDatabaseWorkload;
    const ticket = this.admission.tryAdmitWork(work);
    if (ticket !== undefined) request?.onAdmitted?.();
    if (callback === undefined) {
      return ticket === undefined
        ? this.#waitForTicket(work, request).then((own) => this.#connect(own))
        : this.#connect(ticket);
    }
    // AsyncResource is used directly, because AsyncResource.bind sets a deprecated property on each function, which
    // takes longer than getting an idle connection.
    const callerContext = new AsyncResource('DatabaseConnection');
    if (ticket !== undefined) return this.#connectWithCallback(ticket, callerContext, callback);
    this.#waitForAdmission(work, request, (error, own) => {
      if (own !== undefined) this.#connectWithCallback(own, callerContext, callback);
      else callerContext.runInAsyncScope(callback, undefined, error, undefined, () => {});
    });
  }

  #connect(ticket: DatabaseConnectionPermit): Promise<pg.PoolClient> {
    return super.connect().then(
      (client) => (this.#discardReplaced(client) ? this.#connect(ticket) : this.#attachTicket(client, ticket)),
      (error: unknown) => {
        this.admission.releaseConnectionTicket(ticket);
        throw error;
      },
    );
  }

  #connectWithCallback(
    ticket: DatabaseConnectionPermit,
    callerContext: AsyncResource,
    callback: PoolConnectCallback,
  ): void {
    super.connect((error, client, done) => {
      if (client && this.#discardReplaced(client)) return this.#connectWithCallback(ticket, callerContext, callback);
      const own = client && this.#attachTicket(client, ticket);
      if (own === undefined) this.admission.releaseConnectionTicket(ticket);
      callerContext.runInAsyncScope(callback, undefined, error, own, own ? own.release : done);
    });
  }

  /** Closes a connection if it must be replaced, and then returns true. Returns false for other connections. */
  #discardReplaced(client: pg.PoolClient): boolean {
    if (this.#activities.get(client)?.mustBeReplaced !== true) return false;
    client.release(true);
    // A server that does not respond would never confirm the end of the connection.
    const stream = readPgConnectionProperty(client, 'stream');
    if (stream instanceof Socket) stream.destroy();
    return true;
  }

  #attachTicket(client: pg.PoolClient, ticket: DatabaseConnectionPermit): pg.PoolClient {
    const activity = this.#activities.get(client);
    activity?.setConnectionTicket(ticket);
    const release = client.release.bind(client);
    client.release = (broken) =>
      release(broken || activity?.mustBeReplaced || activity?.preparedStatements.isLengthLimitExceeded);
    return releaseConnectionAfterCancellation(client, () => {
      // The pool may have passed the connection to other work while taking it back.
      if (activity?.connectionTicket === ticket) activity.setConnectionTicket(undefined);
      this.admission.releaseConnectionTicket(ticket);
    });
  }

  /**
   * Waits until the database work may use a connection. Returns the permission (ticket) to use one.
   *
   * @throws ConnectionWaitTimeoutError, ClientDisconnectedError
   */
  #waitForTicket(
    work: DatabaseWorkClassAndUser,
    request: DatabaseConnectionRequest | undefined,
  ): Promise<DatabaseConnectionPermit> {
    return new Promise((resolve, reject) => {
      this.#waitForAdmission(work, request, (error, ticket) =>
        ticket === undefined ? reject(error) : resolve(ticket),
      );
    });
  }

  #waitForAdmission(
    work: DatabaseWorkClassAndUser,
    request: DatabaseConnectionRequest | undefined,
    done: WaitingDatabaseWork['onWaitEnd'],
  ): void {
    const waiter = this.admission.enqueueWork(work, (error, ticket) => {
      unlisten?.();
      if (ticket !== undefined) request?.onAdmitted?.();
      done(error, ticket);
    });
    const unlisten = request?.disconnect?.addListener(() => {
      this.admission.rejectWaitingWork(waiter, new ClientDisconnectedError());
    });
  }
}
