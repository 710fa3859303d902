import type { ComparisonResult, LimitResult } from './compare-with-baseline.js';
import { measureFanOutFigures } from './events/fan-out.js';
import { measureIdlePollFigures } from './events/idle-polls.js';
import { EventServers } from './events/event-servers.js';
import { measureSleepingEventQueue } from './events/sleeping-event-queue.js';
import type { BenchmarkServices } from './benchmark-services.js';

/**
 * Measures the event log: delivery of an event to many users, pending polls, and queues among events of other users.
 * Compares a small service built on the packages with a baseline server. The baseline commits one row, runs XADD and
 * PUBLISH, and resumes the polls of its own process.
 */
export async function* measureEventLog(
  stack: BenchmarkServices,
): AsyncGenerator<readonly (ComparisonResult | LimitResult)[]> {
  const servers = await EventServers.create(stack);
  try {
    yield await measureFanOutFigures(servers);
    yield await measureIdlePollFigures(servers);
    yield await measureSleepingEventQueue(servers);
  } finally {
    await servers.stopServers();
  }
}
