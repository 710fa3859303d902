import { AsyncResource } from 'node:async_hooks';
import { Socket } from 'node:net';
import pg from 'pg';
import {
  ConnectionAdmission,
  type ConnectionWaitLimits,
  type WaitingDatabaseWork,
} from './admission/connection-admission.js';
import { ConnectionActivity } from './admission/connection-activity.js';
import { readConnectionProperty } from './connection-property.js';
import type { ConnectionTicket } from './admission/connection-ticket.js';
import { serviceWorkload, type DatabaseWorkload } from './admission/database-workload.js';
import { releaseAfterCancellation } from './statement-cancellation.js';
import { type ClientDisconnect, ClientDisconnectedError } from './client-disconnect.js';
import { SilentConnectionCloser } from './close-silent-connections.js';

type ConnectCallback = Parameters<pg.Pool['connect']>[0];

/** Options with which a caller requests a database connection from a pool for its work. */
export interface ConnectionRequest {
  /**
   * Class and user of the database work that requests the connection. If undefined, the class and user of the calling
   * code are used.
   */
  readonly work?: DatabaseWorkload | undefined;
  /** Client of the request. If the client disconnects, the wait for the connection ends with an error. */
  readonly disconnect?: ClientDisconnect | undefined;
  /** Callback that is called when the waiting work gets a connection. */
  readonly onAdmitted?: (() => void) | undefined;
}

/** Options of an {@link AdmissionPool}. */
export interface AdmissionPoolOptions {
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
  readonly workload: () => DatabaseWorkload | undefined;
}

/**
 * A connection pool that uses {@link ConnectionAdmission} to decide which work gets a connection. The pool calls the
 * caller back in the caller's own async context. `pg` would use the context of the request that released the
 * connection, so the log would show a wrong request id. A connection returns to the pool after its cancel requests are
 * complete. The connection is closed instead if its prepared statements are too long, or if its server has stopped
 * responding or accepts only reads.
 */
export class AdmissionPool extends pg.Pool {
  readonly admission: ConnectionAdmission;
  readonly #currentWorkload: () => DatabaseWorkload | undefined;
  readonly #activities = new Map<pg.PoolClient, ConnectionActivity>();
  readonly #silentConnections: SilentConnectionCloser;
  readonly #onConnectionsReplaced: () => void;
  #connectionRequest: ConnectionRequest | undefined;

  constructor(options: AdmissionPoolOptions) {
    const { config, limits, workload } = options;
    super(config);
    this.#currentWorkload = workload;
    this.#onConnectionsReplaced = options.onConnectionsReplaced;
    this.admission = new ConnectionAdmission(config.max, limits, this.#activities);
    this.#silentConnections = new SilentConnectionCloser({
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
  trackConnectionActivity(client: pg.PoolClient): ConnectionActivity {
    const activity = new ConnectionActivity();
    this.#activities.set(client, activity);
    this.#silentConnections.start();
    return activity;
  }

  /**
   * Replaces all open connections of the pool, because their server may no longer be the primary. Each connection is
   * closed when it returns to the pool, or before other work would get it.
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

  #replace(activities: readonly ConnectionActivity[]): void {
    for (const activity of activities) activity.mustBeReplaced = true;
    this.#onConnectionsReplaced();
  }

  /**
   * Calls `run` and returns its result. The options in `request` apply to the first connection that `run` requests
   * synchronously.
   */
  runWithConnectionRequest<T>(request: ConnectionRequest, run: () => T): T {
    this.#connectionRequest = request;
    try {
      return run();
    } finally {
      this.#connectionRequest = undefined;
    }
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | void {
    const request = this.#connectionRequest;
    this.#connectionRequest = undefined;
    const work = request?.work ?? this.#currentWorkload() ?? serviceWorkload;
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

  #connect(ticket: ConnectionTicket): Promise<pg.PoolClient> {
    return super.connect().then(
      (client) => (this.#discardReplaced(client) ? this.#connect(ticket) : this.#attachTicket(client, ticket)),
      (error: unknown) => {
        this.admission.releaseTicket(ticket);
        throw error;
      },
    );
  }

  #connectWithCallback(ticket: ConnectionTicket, callerContext: AsyncResource, callback: ConnectCallback): void {
    super.connect((error, client, done) => {
      if (client && this.#discardReplaced(client)) return this.#connectWithCallback(ticket, callerContext, callback);
      const own = client && this.#attachTicket(client, ticket);
      if (own === undefined) this.admission.releaseTicket(ticket);
      callerContext.runInAsyncScope(callback, undefined, error, own, own ? own.release : done);
    });
  }

  /** Closes a connection if it must be replaced, and then returns true. Returns false for other connections. */
  #discardReplaced(client: pg.PoolClient): boolean {
    if (this.#activities.get(client)?.mustBeReplaced !== true) return false;
    client.release(true);
    // A server that does not respond would never confirm the end of the connection.
    const stream = readConnectionProperty(client, 'stream');
    if (stream instanceof Socket) stream.destroy();
    return true;
  }

  #attachTicket(client: pg.PoolClient, ticket: ConnectionTicket): pg.PoolClient {
    const activity = this.#activities.get(client);
    activity?.setTicket(ticket);
    const release = client.release.bind(client);
    client.release = (broken) =>
      release(broken || activity?.mustBeReplaced || activity?.preparedStatements.isLengthLimitExceeded);
    return releaseAfterCancellation(client, () => {
      // The pool may have passed the connection to other work while taking it back.
      if (activity?.ticket === ticket) activity.setTicket(undefined);
      this.admission.releaseTicket(ticket);
    });
  }

  /**
   * Waits until the database work may use a connection. Returns the permission (ticket) to use one.
   *
   * @throws AdmissionTimeoutError, ClientDisconnectedError
   */
  #waitForTicket(work: DatabaseWorkload, request: ConnectionRequest | undefined): Promise<ConnectionTicket> {
    return new Promise((resolve, reject) => {
      this.#waitForAdmission(work, request, (error, ticket) =>
        ticket === undefined ? reject(error) : resolve(ticket),
      );
    });
  }

  #waitForAdmission(
    work: DatabaseWorkload,
    request: ConnectionRequest | undefined,
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
