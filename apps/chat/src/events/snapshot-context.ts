import type { ChatActor } from '../infra/http/chat-actor.js';
import type { AccountSecretDecryptor } from '../core/access/api-keys.js';
import type { SqlQueryRunner } from '../infra/sql-reader.js';
import type { ChatConfig } from '../config.js';
import type { MessageRenderer } from '../infra/markdown/index.js';
import type { SnapshotDataReader } from './snapshot-memory/index.js';
import type { ClientCapabilities } from './event-queue-options.js';

/** Format of the POST /register response (snapshot) that the client requested (chat-4.20). */
export interface SnapshotFormat {
  readonly client_gravatar: boolean;
  readonly include_subscribers: 'true' | 'false' | 'partial';
  readonly slim_presence: boolean;
  readonly presence_history_limit_days: number;
  readonly client_capabilities: ClientCapabilities;
}

/** Data with which the snapshot parts read and format their fields. */
export interface SnapshotContext {
  /**
   * Consistent view of the database. All data of a snapshot is read from this view, or is cached in `parts` and
   * verified against this view.
   */
  readonly tx: SqlQueryRunner;
  readonly parts: SnapshotDataReader;
  readonly actor: ChatActor;
  readonly form: SnapshotFormat;
  /** Returns true if the client fetches at least one of the given types (docs/contract/chat.md 4.2). */
  readonly wants: (...types: string[]) => boolean;
  /** True if the client's request lists event types. The response contains some older fields only in this case. */
  readonly namesTypes: boolean;
  /** Scheme and host of the URL at which the client reached the server. */
  readonly origin: string;
  readonly renderer: Pick<MessageRenderer, 'renderPlain'>;
  readonly config: ChatConfig;
  readonly apiKeys: AccountSecretDecryptor;
  /** Start time of this process, in UNIX seconds. */
  readonly serverGeneration: number;
  /** Time of the POST /register request, in milliseconds since the epoch. */
  readonly nowMs: number;
  /** Runs `read` once per POST /register request, and returns its result to all snapshot parts that share `read`. */
  readonly shared: <T>(read: (context: SnapshotContext) => Promise<T>) => Promise<T>;
}

/**
 * Returns a snapshot context for one POST /register request. The context caches the reads that several snapshot parts
 * share.
 */
export function createSnapshotContext(base: Omit<SnapshotContext, 'shared'>): SnapshotContext {
  const reads = new Map<unknown, Promise<unknown>>();
  const context: SnapshotContext = {
    ...base,
    shared<T>(read: (own: SnapshotContext) => Promise<T>): Promise<T> {
      const known = reads.get(read) as Promise<T> | undefined;
      if (known !== undefined) return known;
      const started = read(context);
      reads.set(read, started);
      return started;
    },
  };
  return context;
}

/**
 * Returns a predicate for a client that fetches the event types `types`; null means all types. The predicate is true if
 * the client fetches at least one of the types in its arguments.
 */
export function createFetchTypePredicate(types: readonly string[] | null): (...names: string[]) => boolean {
  if (types === null) return () => true;
  const fetched = new Set(types);
  return (...names) => names.some((type) => fetched.has(type));
}
