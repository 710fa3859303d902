import { totalmem } from 'node:os';

const BYTES_PER_MEBIBYTE = 1024 * 1024;

/**
 * Returns the memory in bytes that this process and its child processes may use: the memory of the machine, or the
 * limit of the container.
 */
export function readUsableMemoryBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(totalmem(), limit) : totalmem();
}

function clampToMegabytes(least: number, bytes: number, most: number): string {
  return `${Math.min(Math.max(Math.floor(bytes / BYTES_PER_MEBIBYTE), least), most)}MB`;
}

/**
 * Returns memory settings of PostgreSQL for a machine that also runs the services and Redis (PostgreSQL documentation,
 * 19.4 "Resource Consumption" and 19.7 "Query Planning"):
 *
 * - `shared_buffers`: an eighth of the memory, half of what the documentation recommends for a dedicated server.
 * - `effective_cache_size`: half of the memory, as an estimate of all caches for the planner.
 * - `work_mem`: a thousandth of the memory for one sort.
 * - `maintenance_work_mem`: a thirty-second of the memory for building an index.
 * - `max_wal_size`: a quarter of the memory. A bulk change that writes more log than `max_wal_size` forces a
 *   checkpoint. After a checkpoint, every changed page is written to the log in full again.
 *
 * @param bytes memory of the machine in bytes
 */
export function createPostgresMemorySettings(bytes: number): Readonly<Record<string, string>> {
  return {
    shared_buffers: clampToMegabytes(64, bytes / 8, 4096),
    effective_cache_size: clampToMegabytes(128, bytes / 2, 65_536),
    work_mem: clampToMegabytes(4, bytes / 1024, 32),
    maintenance_work_mem: clampToMegabytes(32, bytes / 32, 1024),
    max_wal_size: clampToMegabytes(1024, bytes / 4, 4096),
  };
}
