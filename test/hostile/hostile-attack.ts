import { expect } from 'vitest';
import type { HostileRequest, Session } from './hostile-request.js';
import { LivenessProbe } from './check-liveness.js';
import { type Reply, send } from './send-hostile-request.js';
import type { HostileLimits } from './hostile-test-settings.js';

/**
 * Additional time in milliseconds for which the test waits for a response after the response's time limit. A failed
 * test can then report the actual duration.
 */
const graceMs = 20_000;

/**
 * Sends the calls of a hostile request. Checks every response, and checks that the service responded to other requests
 * meanwhile.
 */
export async function attack(
  origin: string,
  session: Session,
  { calls, statuses }: HostileRequest,
  limits: HostileLimits,
): Promise<void> {
  const prepared = (await calls(session)).map((call) => session.prepared(call));
  const probe = new LivenessProbe(origin, limits.responseMs + graceMs);
  const replies = await Promise.all(prepared.map((call) => send(origin, call, limits.responseMs + graceMs)));
  const live = await probe.end();
  const wrong = replies.flatMap((reply) => problemWith(reply, statuses, limits.responseMs) ?? []);
  expect(wrong).toEqual([]);
  expect(live.failures).toEqual([]);
  expect(live.slowestMs, 'time of the slowest answer of /health/live').toBeLessThan(limits.liveMs);
}

function problemWith(reply: Reply, statuses: readonly number[], responseMs: number): string | null {
  if (reply.kind === 'abandoned') return null;
  if (reply.kind === 'cut') return `no answer after ${reply.tookMs} ms: ${reply.reason}`;
  const { status, retryAfter, text, tookMs } = reply;
  const isBusy = status === 503 && retryAfter !== null;
  if (!isBusy && !statuses.includes(status)) return `${status} after ${tookMs} ms: ${text.slice(0, 500)}`;
  return tookMs > responseMs ? `${status}, but only after ${tookMs} ms` : null;
}
