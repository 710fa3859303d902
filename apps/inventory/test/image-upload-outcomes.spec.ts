import { readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { UnknownCommitOutcomeError } from '@switchboard/database';
import { systemClock } from '@switchboard/platform';
import { startS3Server, type TestS3Server } from '@switchboard/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { SuspectFileCleanup } from '../src/media/suspect-media-cleanup.js';
import { createS3Environment } from './support/s3-environment.js';
import { startInventory, type TestInventory } from './support/test-service.js';
import { formOf, picture } from './support/create-object-by-api.js';

type Json = Record<string, unknown>;

const path = '/api/extras/image-attachments/';

let test: TestInventory;
let s3: TestS3Server;
let site = 0;

const attach = async (name: string) => {
  const fields = { object_type: 'dcim.site', object_id: site, name, image: picture(`${name}.png`) };
  return test.api.post<Json>(path, { ...(await formOf(fields)), unchecked: true });
};
const remove = (id: unknown) => test.api.delete(`${path}${String(id)}/`, { unchecked: true });

async function files(): Promise<string[]> {
  if (test.inventory.config.S3_BUCKET !== undefined) return [...s3.objects.keys()].map((key) => basename(key));
  const entries = await readdir(test.inventory.config.MEDIA_ROOT, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

/** Runs the cleanup of suspect (possibly unused) uploaded files, with a clock that is two hours ahead. */
function sweepLater(): Promise<number> {
  const clock = { ...systemClock, now: () => Date.now() + 7_200_000 };
  return new SuspectFileCleanup({ ...test.inventory, clock }).checkSuspectFiles();
}

/**
 * Makes the outcome of the next COMMIT unknown. `isCommitted` determines whether the transaction is actually committed.
 * Transactions that are rolled back before a COMMIT are ignored.
 */
function loseOutcome(isCommitted: boolean): void {
  const { database } = test.inventory;
  const original = database.inTransaction.bind(database);
  const unknown = new UnknownCommitOutcomeError(new Error('lost'));
  const lost: typeof database.inTransaction = async (run, options) => {
    await original(async (tx) => {
      // A creation is committed together with its last statement.
      if (!isCommitted) Object.assign(tx, { finish: () => Promise.reject(unknown) });
      const result = await run(tx);
      if (!isCommitted) throw unknown;
      return result;
    }, options);
    throw unknown;
  };
  const spy = vi.spyOn(database, 'inTransaction').mockImplementation(async (run, options) => {
    try {
      return await lost(run, options);
    } catch (error) {
      if (error === unknown) spy.mockRestore();
      throw error;
    }
  });
}

describe.each(['folder', 'bucket'])('images in a %s', (storage) => {
  beforeAll(async () => {
    s3 = await startS3Server();
    test = await startInventory(storage === 'bucket' ? createS3Environment(s3) : {});
    site = (await test.api.post<{ id: number }>('/api/dcim/sites/', { json: { name: 'A', slug: 'a' } })).body.id;
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  afterAll(async () => {
    await test.close();
    await s3.close();
  });

  describe('POST of an image whose commit outcome is unknown', () => {
    it('retains the file when the transaction was committed, even after the cleanup of suspect files', async () => {
      loseOutcome(true);
      expect((await attach('kept')).status).toBeGreaterThanOrEqual(500);
      const { body } = await test.api.get<{ results: Json[] }>(path, { query: { name: 'kept' } });
      expect(body.results).toHaveLength(1);
      expect(await sweepLater()).toBe(0);
      const image = new URL(String(body.results[0]?.['image'])).pathname;
      expect((await test.api.get(image, { unchecked: true })).status).toBe(200);
      expect(await files()).toEqual([expect.stringMatching(/^site_\d+_kept(_[a-z0-9]{9})?\.png$/)]);
      expect((await remove(body.results[0]?.['id'])).status).toBe(204);
      expect(await files()).toEqual([]);
    });

    it('lets the cleanup delete the file if the transaction was rolled back', async () => {
      loseOutcome(false);
      expect((await attach('lost')).status).toBeGreaterThanOrEqual(500);
      expect(await files()).toHaveLength(2);
      expect(await new SuspectFileCleanup({ ...test.inventory, clock: systemClock }).checkSuspectFiles()).toBe(0);
      expect(await sweepLater()).toBe(1);
      expect(await files()).toEqual([]);
    });
  });

  describe('DELETE of an image whose commit outcome is unknown', () => {
    it.each([
      { isCommitted: true, left: 0 },
      { isCommitted: false, left: 1 },
    ])('leaves $left image files after the cleanup when isCommitted is $isCommitted', async ({ isCommitted, left }) => {
      const { body } = await attach(`deleted ${String(isCommitted)}`);
      loseOutcome(isCommitted);
      expect((await remove(body['id'])).status).toBeGreaterThanOrEqual(500);
      expect((await files()).length).toBeGreaterThan(0);
      await sweepLater();
      expect(await files()).toHaveLength(left);
    });
  });

  describe('cleanup of image files whose transaction had an unknown outcome', () => {
    it('retains a suspect file when an object uses the file', async () => {
      const { body } = await attach('other');
      const stored = new URL(String(body['image'])).pathname.replace('/media/', '');
      const { media } = test.inventory;
      await media.markAsSuspect([stored]);
      await media.removeSuspectFile('image-attachments/missing.png');
      expect(await sweepLater()).toBe(0);
      expect(await media.read(stored)).not.toBeNull();
      await remove(body['id']);
    });
  });
});
