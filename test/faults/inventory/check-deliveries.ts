import { readInventoryResponse } from '../classify-responses.js';
import type { Findings } from '../findings.js';
import { member } from '../http.js';
import { pause } from '../abortable-pause.js';
import type { InventoryUser } from './inventory-user.js';
import type { Arrival, Receiver } from './receiver.js';
import type { SiteChange, SiteWriter, UnknownRequest } from './site-writer.js';

/** Writes that a failover may have lost. */
export interface PossibleLoss {
  /** Keys of lost changes in the inventory, and contents of lost chat messages. */
  readonly cutOff: ReadonlySet<string>;
  /**
   * Webhook deliveries that arrived before the promotion. The new primary may lack the rows of these deliveries or
   * their outcomes.
   */
  readonly arrivals: ReadonlySet<Arrival>;
}

const noLoss: PossibleLoss = { cutOff: new Set(), arrivals: new Set() };

/** Counts of changes, webhook deliveries and faults that a fault test of the inventory prints. */
export interface DeliveryFigures {
  readonly changes: number;
  readonly deliveries: number;
  readonly lost: number;
  /** Number of webhook deliveries that arrived more than once with an unchanged delivery id. */
  readonly duplicated: number;
  /** Number of requests that the inventory service rejected and rolled back. */
  readonly rolledBack: number;
  readonly unknownRequests: number;
}

/**
 * Maximum time in milliseconds that the test waits without a new webhook delivery while deliveries are missing after
 * the last fault.
 */
const progressMs = 60_000;
/** Time in milliseconds without a new webhook delivery after which the test stops waiting. */
const quietMs = 1_500;

type ByChange = ReadonlyMap<string, readonly Arrival[]>;

/**
 * Waits for missing webhook deliveries, then compares the deliveries with the changes. The caller must have stopped the
 * writers, and every process must run.
 */
export async function checkDeliveries(parts: {
  readonly user: InventoryUser;
  readonly receiver: Receiver;
  readonly writers: readonly SiteWriter[];
  readonly findings: Findings;
  readonly loss?: PossibleLoss | undefined;
}): Promise<DeliveryFigures> {
  const { user, receiver, writers, findings } = parts;
  const { cutOff, arrivals: earlier } = parts.loss ?? noLoss;
  const isCutOff = (change: SiteChange): boolean => cutOff.has(keyOf(change));
  const unknown = writers.flatMap((writer) => writer.unknown).filter(({ changes }) => !changes.some(isCutOff));
  const happened = await changesThatHappened(user, unknown, findings);
  const expected = writers.flatMap(({ committed }) => committed.flatMap(({ changes }) => changes)).concat(happened);
  const keys = new Set(expected.filter((change) => !isCutOff(change)).map(keyOf));
  const lost = (): string[] => [...keys].filter((key) => !receiver.byChange.get(key)?.some(({ accepted }) => accepted));
  await waitForAllOrNoProgress(lost);
  await noArrivalsFor(receiver);

  for (const key of lost()) findings.add(`${key} was never accepted`);
  const arrived = receiver.byChange;
  for (const key of arrived.keys()) {
    findings.check(keys.has(key) || cutOff.has(key), () => `${key} arrived and was never committed`);
  }
  checkIdentity(arrived, findings, earlier);
  const cutOffIds = new Set([...cutOff].flatMap((key) => (arrived.get(key) ?? []).map(({ objectId }) => objectId)));
  for (const [objectId, arrivals] of receiver.byObject) {
    // A later site may have the id of a lost one.
    if (cutOffIds.has(objectId)) continue;
    for (const isEarlier of [true, false]) {
      const some = arrivals.filter((arrival) => earlier.has(arrival) === isEarlier);
      checkOrder(objectId, some, findings);
    }
  }
  checkRequestIds(arrived, writers, findings);
  const all = [...arrived.values()].flat();
  const distinct = new Set(all.map(({ deliveryId }) => deliveryId)).size;
  return {
    changes: keys.size,
    deliveries: distinct,
    lost: lost().length,
    duplicated: all.length - distinct,
    rolledBack: writers.reduce((sum, writer) => sum + writer.rolledBack, 0),
    unknownRequests: unknown.length,
  };
}

async function waitForAllOrNoProgress(lost: () => readonly string[]): Promise<void> {
  let [missing, since] = [lost().length, Date.now()];
  while (missing > 0 && Date.now() - since < progressMs) {
    await pause(250);
    const now = lost().length;
    if (now < missing) [missing, since] = [now, Date.now()];
  }
}

/**
 * Returns the changes that were committed by requests with an unknown outcome. Checks that each request committed
 * either all of its changes or no change.
 */
async function changesThatHappened(
  user: InventoryUser,
  unknown: readonly UnknownRequest[],
  findings: Findings,
): Promise<SiteChange[]> {
  const happened: SiteChange[] = [];
  for (const { changes } of unknown) {
    const found = await Promise.all(changes.map(async (change) => didHappen(change, await isThere(user, change.mark))));
    const count = found.filter(Boolean).length;
    findings.check(count === 0 || count === changes.length, () => `only a part of ${JSON.stringify(changes)} happened`);
    happened.push(...changes.filter((_, index) => found[index]));
  }
  return happened;
}

function didHappen({ event }: SiteChange, isThere: boolean): boolean {
  return event === 'deleted' ? !isThere : isThere;
}

async function isThere(user: InventoryUser, mark: string): Promise<boolean> {
  for (;;) {
    const path = `dcim/sites/?description=${encodeURIComponent(mark)}`;
    const verdict = readInventoryResponse(await user.call('GET', path));
    if (verdict.kind === 'done') return member(verdict.body, 'count') === 1;
    await pause(100);
  }
}

/** Returns the key of a site change, made of its event and description. */
export function keyOf({ event, mark }: SiteChange): string {
  return `${event} ${mark}`;
}

/**
 * Checks that all webhook deliveries of a change have the same id and body, and valid signatures. Exception: if a
 * change was replicated but its delivery was not, the change is sent again with another id after a loss of the primary.
 *
 * @param earlier deliveries before the loss
 */
function checkIdentity(arrived: ByChange, findings: Findings, earlier: ReadonlySet<Arrival>): void {
  for (const [key, arrivals] of arrived) {
    const ids = new Set(arrivals.map(({ deliveryId }) => deliveryId));
    const bodies = new Set(arrivals.map(({ body }) => body));
    const earlierIds = new Set(arrivals.filter((one) => earlier.has(one)).map(({ deliveryId }) => deliveryId));
    const later = [...ids].filter((id) => !earlierIds.has(id));
    const isOne = later.length <= 1 && ids.size - later.length <= 1;
    findings.check(isOne, () => `${key} arrived under ${[...ids].join(' and ')}`);
    findings.check(bodies.size === 1, () => `${key} arrived with different bodies`);
    findings.check(
      arrivals.every(({ verified }) => verified),
      () => `${key} arrived with a wrong signature`,
    );
  }
}

const lifeOfObject = ['created', 'updated', 'deleted'];

/**
 * Checks that no webhook delivery of an earlier change arrives after a delivery of a later change, even when deliveries
 * are repeated.
 */
function checkOrder(objectId: number, arrivals: readonly Arrival[], findings: Findings): void {
  const events = arrivals.map(({ event }) => event);
  const inOrder = events.toSorted((a, b) => lifeOfObject.indexOf(a) - lifeOfObject.indexOf(b));
  const same = events.every((event, index) => event === inOrder[index]);
  findings.check(
    same,
    () => `site ${objectId} arrived as ${arrivals.map(({ event, mark }) => `${event} ${mark}`).join(', ')}`,
  );
}

/** Checks that each webhook delivery contains the id of the request that made the change. */
function checkRequestIds(arrived: ByChange, writers: readonly SiteWriter[], findings: Findings): void {
  for (const { requestId, changes } of writers.flatMap(({ committed }) => committed)) {
    for (const change of changes) {
      const named = arrived.get(keyOf(change))?.[0]?.requestId ?? requestId;
      findings.check(named === requestId, () => `${keyOf(change)} names request ${named}, not ${requestId}`);
    }
  }
}

async function noArrivalsFor(receiver: Receiver): Promise<void> {
  for (let count = -1; count !== receiver.count;) {
    count = receiver.count;
    await pause(quietMs);
  }
}
