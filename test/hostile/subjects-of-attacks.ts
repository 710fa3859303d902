import { setTimeout as delay } from 'node:timers/promises';
import { reportUnregisteredTest, selectCases } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attack } from './hostile-attack.js';
import { AttackedService, type AttackedServiceOptions } from './attacked-service.js';
import type { HostileSubject, Session } from './hostile-request.js';
import { canMeasureMemory, PostgresMemory } from './postgres-memory.js';
import { isShortHostileRun, readHostileLimits } from './hostile-test-settings.js';

/**
 * Fraction of the allowed growth of PostgreSQL's memory that may remain in use after the suite. Connections use this
 * memory for caches.
 */
const retainedMemoryShare = 1 / 4;

/** Options of a test suite with hostile requests: the service, and the requests that are sent to the service. */
export interface AttackOptions extends AttackedServiceOptions {
  readonly subjects: readonly HostileSubject[];
  /**
   * Signs in to the service, creates the objects that the hostile requests need, and opens all database connections of
   * the service.
   */
  signIn(origin: string): Promise<Session>;
}

/** Declares the tests of one service: a test for each hostile request, then a test of PostgreSQL's memory. */
export function attackSubjects({ subjects, signIn, ...options }: AttackOptions): void {
  const limits = readHostileLimits();
  let service: AttackedService | undefined;
  let session: Session;
  let memory: PostgresMemory | undefined;

  beforeAll(async () => {
    service = await AttackedService.start(options);
    session = await signIn(service.origin);
    memory = new PostgresMemory(service.postgres);
    memory.start();
  }, 300_000);

  afterAll(async () => {
    memory?.stop();
    await service?.stop();
  }, 60_000);

  describe.each(subjects)('$subject', ({ requests }) => {
    // The requests of a subject aim at the same limits.
    const sent = isShortHostileRun() ? selectCases(requests, (_, index) => index % 3 === 0) : requests;
    it.each(sent)('responds $statuses to $title', async (request) => {
      if (memory !== undefined) memory.during = request.title;
      await attack(service?.origin ?? '', session, request, limits);
    });
  });

  const title = `memory of PostgreSQL during hostile requests to ${options.app}`;
  if (!canMeasureMemory()) {
    reportUnregisteredTest(title);
    return;
  }
  describe(title, () => {
    it('grows by less than 200 MB and is free again', async () => {
      const deadline = Date.now() + limits.settleMs;
      while ((memory?.growth ?? 0) > limits.growthBytes * retainedMemoryShare && Date.now() < deadline)
        await delay(100);
      expect(memory?.highestGrowth, `most during "${memory?.highestDuring}"`).toBeLessThan(limits.growthBytes);
      expect(memory?.growth).toBeLessThan(limits.growthBytes * retainedMemoryShare);
    });
  });
}
