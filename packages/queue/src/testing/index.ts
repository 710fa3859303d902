export { createCrashListener, faultPoints } from '../fault-points.js';
export type { FaultPoint, ProcessKillFaultPoint, FaultPointListener } from '../fault-points.js';
export { recordFaultPoints, simulateCrashAt, SimulatedCrashError } from './simulated-crash.js';
export type { RecordedFaultPoints } from './simulated-crash.js';
export { TestClock } from './test-clock.js';
export { TestPool } from './test-pool.js';
export type { TestStatementResponder, ReceivedTestStatement } from './test-pool.js';
export { createTestQueue, TestQueue } from './test-queue.js';
export type {
  TestQueueRunResult,
  TestEventLogEntry,
  AddedTestJob,
  TestOutboxMessage,
  TestQueueOptions,
} from './test-queue.js';
