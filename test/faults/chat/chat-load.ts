import { pause } from '../abortable-pause.js';
import type { RequestOutcome } from '../http.js';
import { readChatResponse, type Verdict } from '../classify-responses.js';

/** Requests that a client sends during faults, beside the messages and events of each fault test of chat. */
export interface ChatLoad {
  /** Creates what the load needs. No fault may happen meanwhile. */
  begin(): Promise<void>;
  /** Sends requests until the signal is aborted. */
  run(signal: AbortSignal): Promise<void>;
  /**
   * Compares the acknowledged requests with the data of the service, and returns counts. The load must have stopped, and
   * every process must run.
   */
  check(): Promise<Readonly<Record<string, number>>>;
}

/**
 * Sends a request without faults and returns the response body.
 *
 * @throws Error if the request fails
 */
export async function requireResponse(request: Promise<RequestOutcome>): Promise<unknown> {
  const verdict = readChatResponse(await request);
  if (verdict.kind !== 'done') throw new Error(JSON.stringify(verdict));
  return verdict.body;
}

/** Repeats a request while its outcome is unknown, at most for the given time. Returns the last outcome. */
export async function repeatUntilKnown(request: () => Promise<RequestOutcome>, timeoutMs = 120_000): Promise<Verdict> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const verdict = readChatResponse(await request());
    const isKnown = verdict.kind !== 'unknown' && verdict.kind !== 'unsent';
    if (isKnown || Date.now() > deadline) return verdict;
    await pause(100);
  }
}
