import type { ComparisonResult, LimitResult } from './compare.js';
import { fanOutFigures } from './events/fan-out.js';
import { idlePollFigures } from './events/idle-polls.js';
import { EventServers } from './events/servers.js';
import { sleepingQueueFigures } from './events/sleeping-queue.js';
import type { Stack } from './stack.js';

/**
 * Measures the event log, part by part: a small service on the packages is compared with a baseline that commits one
 * row, XADDs, PUBLISHes and wakes in-process waiters.
 */
export async function* eventsFigures(stack: Stack): AsyncGenerator<readonly (ComparisonResult | LimitResult)[]> {
  const servers = await EventServers.create(stack);
  try {
    yield await fanOutFigures(servers);
    yield await idlePollFigures(servers);
    yield await sleepingQueueFigures(servers);
  } finally {
    await servers.stop();
  }
}
