import type { ChatActor } from '../infra/http/chat-actor.js';
import type { EncryptedKeyReader } from '../core/access/api-keys.js';
import type { SqlReader } from '../infra/sql-reader.js';
import type { ChatConfig } from '../config.js';
import type { MessageRenderer } from '../infra/markdown/index.js';
import type { SnapshotDataReader } from './snapshot-memory/index.js';
import type { ClientCapabilities } from './event-queue-options.js';

/** Format of the snapshot that the client requested at registration (chat-4.20). */
export interface SnapshotFormat {
  readonly client_gravatar: boolean;
  readonly include_subscribers: 'true' | 'false' | 'partial';
  readonly slim_presence: boolean;
  readonly presence_history_limit_days: number;
  readonly client_capabilities: ClientCapabilities;
}

/** Data that the snapshot parts need to read and format their fields. */
export interface SnapshotContext {
  /**
   * Consistent view of the database. All data of a snapshot is read from this view, or is cached in `parts` and
   * verified against it.
   */
  readonly tx: SqlReader;
  readonly parts: SnapshotDataReader;
  readonly actor: ChatActor;
  readonly form: SnapshotFormat;
  /** Returns true if the client fetches one of these types (docs/contract/chat.md 4.2). */
  readonly wants: (...types: string[]) => boolean;
  /** True if the client lists the event types that it wants. Some older fields are included only then. */
  readonly namesTypes: boolean;
  /** Scheme and host that the client used to reach the server. */
  readonly origin: string;
  readonly renderer: Pick<MessageRenderer, 'renderPlain'>;
  readonly config: ChatConfig;
  readonly apiKeys: EncryptedKeyReader;
  /** Start time of this process, in UNIX seconds. */
  readonly serverGeneration: number;
  /** Time of the registration, in milliseconds since the epoch. */
  readonly nowMs: number;
  /** Runs `read` once per registration for all parts that share it. */
  readonly shared: <T>(read: (context: SnapshotContext) => Promise<T>) => Promise<T>;
}

/** Returns a snapshot context. It caches the reads that several snapshot parts share. */
export function snapshotContext(base: Omit<SnapshotContext, 'shared'>): SnapshotContext {
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
 * Returns a predicate that is true if a client that fetches the event types `types` (null: all) fetches at least one of
 * its arguments.
 */
export function createFetchTypePredicate(types: readonly string[] | null): (...names: string[]) => boolean {
  if (types === null) return () => true;
  const fetched = new Set(types);
  return (...names) => names.some((type) => fetched.has(type));
}
