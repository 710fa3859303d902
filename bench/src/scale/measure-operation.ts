import { setTimeout as sleep } from 'node:timers/promises';
import { computeMedian } from '../measure-load.js';
import type { OperationMeasurement, MeasuredOperation } from './measured-operation.js';
import { PeakMemorySampler } from './sampled-memory.js';
import type { BackgroundRequestMonitor } from './watch/watch-requests.js';
import type { RepeatedRequest } from './watch/watched-request.js';

const minOperationRunCount = 5;
const maxOperationRunCount = 40;
/**
 * Minimum duration of an operation's measurement in milliseconds. During this time, the background client sends several
 * writes, one every 200 ms.
 */
const minMeasurementMs = 600;
/** Duration in milliseconds of a measured operation. An operation that takes longer is not repeated. */
const maxRepeatedDurationMs = 10_000;
const pauseBetweenOperationRunsMs = 100;

/**
 * The active {@link BackgroundRequestMonitor}, the requests that it repeats, and the ids of the processes whose memory is measured.
 */
export interface OperationMeasurementContext {
  readonly watch: BackgroundRequestMonitor;
  readonly pids: readonly number[];
  readonly probes: readonly RepeatedRequest[];
  readonly bystander: RepeatedRequest;
}

/**
 * Runs an operation several times while a {@link BackgroundRequestMonitor} sends requests to the service. Returns the measurement.
 * If the operation fails, the measurement contains the error.
 */
export async function measureOperation<World>(
  operation: MeasuredOperation<World>,
  world: World,
  { watch, pids, probes, bystander }: OperationMeasurementContext,
): Promise<OperationMeasurement> {
  const memory = new PeakMemorySampler(pids);
  const times: number[] = [];
  let isWatched = false;
  const startWatch = (): void => {
    watch.startRequests({ probes, bystander: operation.bystander?.(world) ?? bystander });
    isWatched = true;
  };
  let error: string | undefined;
  let remark: string | undefined;
  try {
    await operation.before?.(world, 0);
    startWatch();
    remark = await runOperationRepeatedly(operation, world, times);
  } catch (thrown) {
    error = thrown instanceof Error ? thrown.message : String(thrown);
  }
  if (!isWatched) startWatch();
  await sleep(pauseBetweenOperationRunsMs);
  const { failure, ...report } = await watch.stopRequests();
  // The first run fills the caches for later runs.
  const counted = times.length > 2 ? times.slice(1) : times;
  return {
    medianMs: counted.length === 0 ? null : computeMedian(counted),
    runs: times.length,
    ...memory.stopSampling(),
    ...report,
    ...(remark === undefined ? {} : { remark }),
    ...(error === undefined && failure === '' ? {} : { error: error ?? failure }),
  };
}

/** Repeats an operation until enough runs have been timed. Returns the remark of the last run on its result. */
async function runOperationRepeatedly<World>(
  operation: MeasuredOperation<World>,
  world: World,
  times: number[],
): Promise<string | undefined> {
  const started = performance.now();
  let remark: string | undefined;
  for (let run = 0; needsFurtherOperationRun(operation, run, performance.now() - started); run += 1) {
    if (run > 0) await operation.before?.(world, run);
    const began = performance.now();
    const result = await operation.run(world, run);
    times.push(typeof result === 'number' ? result : performance.now() - began);
    remark = typeof result === 'string' ? result : undefined;
  }
  return remark;
}

function needsFurtherOperationRun({ runs }: MeasuredOperation<never>, done: number, elapsedMs: number): boolean {
  if (runs !== undefined) return done < runs;
  if (done === 0) return true;
  if (elapsedMs > maxRepeatedDurationMs || done >= maxOperationRunCount) return false;
  return done <= minOperationRunCount || elapsedMs < minMeasurementMs;
}
