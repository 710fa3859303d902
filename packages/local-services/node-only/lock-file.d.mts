/** Process that owns a lock. `pid` and `startTime` identify the process; `purpose` is shown to users. */
export interface LockHolder {
  pid: number;
  startTime: string;
  purpose: string;
  nonce: string;
}
/** Returns the running process that owns the lock at `path`; null if there is none. */
export function findLockHolder(path: string): LockHolder | null;
/** Acquires the lock, also if its owner has died. Resolves to the owner if a running process owns the lock. */
export function acquireLock(path: string, purpose: string): Promise<{ release(): void } | { holder: LockHolder }>;
