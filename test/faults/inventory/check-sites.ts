import { pause } from '../abortable-pause.js';
import type { Findings } from '../findings.js';
import { member } from '../http.js';
import { readInventoryResponse } from '../classify-responses.js';
import type { InventoryUser } from './inventory-user.js';
import type { SiteWriter } from './site-writer.js';

const pageSize = 1_000;

/**
 * Checks that each acknowledged site is stored in its last acknowledged state. The caller must have stopped the
 * writers.
 *
 * @returns the number of sites that are not stored
 */
export async function checkSites(parts: {
  readonly user: InventoryUser;
  readonly writers: readonly SiteWriter[];
  readonly findings: Findings;
}): Promise<number> {
  const { user, writers, findings } = parts;
  const stored = await listDescriptions(user);
  const missing = writers.flatMap(({ present }) => [...present]).filter((mark) => !stored.has(mark));
  for (const mark of missing) findings.add(`site ${mark} was acknowledged and is not stored`);
  return missing.length;
}

/** Returns the descriptions of all sites in the inventory. */
async function listDescriptions(user: InventoryUser): Promise<Set<string>> {
  const found = new Set<string>();
  for (let offset = 0; ;) {
    const path = `dcim/sites/?limit=${pageSize}&offset=${offset}&ordering=id`;
    const verdict = readInventoryResponse(await user.call('GET', path));
    if (verdict.kind !== 'done') {
      await pause(100);
      continue;
    }
    const results = member(verdict.body, 'results');
    const page = Array.isArray(results) ? (results as unknown[]) : [];
    for (const site of page) found.add(String(member(site, 'description')));
    offset += page.length;
    if (member(verdict.body, 'next') === null || page.length === 0) return found;
  }
}
