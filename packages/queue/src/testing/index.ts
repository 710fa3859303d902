export { createCrashListener, faultPoints } from '../fault-points.js';
export type { FaultPoint, FaultPointSetting, OnFaultPoint } from '../fault-points.js';
export { recordFaultPoints, simulateCrashAt, SimulatedCrashError } from './simulated-crash.js';
export type { RecordedFaultPoints } from './simulated-crash.js';
export { TestClock } from './test-clock.js';
export { TestPool } from './test-pool.js';
export type { StatementResponder, TestStatement } from './test-pool.js';
export { createTestQueue, TestQueue } from './test-queue.js';
export type { RunResult, TestEntry, TestJob, TestMessage, TestQueueOptions } from './test-queue.js';
