import { totalmem } from 'node:os';
import { describe, expect, it } from 'vitest';
import { createPostgresMemorySettings, readUsableMemoryBytes } from './memory-settings.js';

const gibibyte = 1024 ** 3;

describe('createPostgresMemorySettings', () => {
  it.each([
    [0.25, '64MB', '128MB', '4MB', '32MB', '1024MB'],
    [1, '128MB', '512MB', '4MB', '32MB', '1024MB'],
    [8, '1024MB', '4096MB', '8MB', '256MB', '2048MB'],
    [32, '4096MB', '16384MB', '32MB', '1024MB', '4096MB'],
    [512, '4096MB', '65536MB', '32MB', '1024MB', '4096MB'],
  ])('chooses values for a machine of %d GiB', (size, shared, cache, work, maintenance, log) => {
    expect(createPostgresMemorySettings(size * gibibyte)).toEqual({
      shared_buffers: shared,
      effective_cache_size: cache,
      work_mem: work,
      maintenance_work_mem: maintenance,
      max_wal_size: log,
    });
  });
});

describe('readUsableMemoryBytes', () => {
  it('never exceeds the memory of the machine', () => {
    expect(readUsableMemoryBytes()).toBeGreaterThan(0);
    expect(readUsableMemoryBytes()).toBeLessThanOrEqual(totalmem());
  });
});
