/** The process that holds a lock: `startTime` as of process-identity, `purpose` for people. */
export interface LockHolder {
  pid: number;
  startTime: string;
  purpose: string;
  nonce: string;
}
/** The living process that holds the lock at `path`, else null. */
export function findLockHolder(path: string): LockHolder | null;
/** Takes the lock, also from a dead holder; resolves to the holder when a living process has it. */
export function acquireLock(path: string, purpose: string): Promise<{ release(): void } | { holder: LockHolder }>;
