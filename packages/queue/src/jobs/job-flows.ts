import { FlowProducer, type FlowJob as BullFlowJob } from 'bullmq';
import { formatErrorText, type QueueLogger } from '../environment.js';
import type { RedisClient } from '../redis.js';
import { QueueUsageError } from '../queue-usage-error.js';
import type { JobDefinition } from './define-job.js';
import type { JobPreparedForBullMq } from './job-queues.js';
import type { AddJobOptions } from './jobs-settings.js';

/**
 * Options of a job in a flow, which is a tree of jobs. If a parent job has a delay, the delay begins when its children
 * have ended.
 */
export interface FlowJobOptions extends AddJobOptions {
  /** Child jobs that must end before this job starts. */
  children?: readonly FlowJob[];
  /**
   * Effect of a permanent failure of this job on its parent: with `fail-parent` (the default) the parent fails too.
   * With `ignore` the parent runs without the result.
   */
  onFailure?: 'fail-parent' | 'ignore';
}

/** A job of a flow (a tree of jobs), created by {@link createFlowJob}. */
export interface FlowJob {
  readonly definition: JobDefinition<unknown>;
  readonly payload: unknown;
  readonly options: FlowJobOptions;
}

/** Describes a job of a flow for `Jobs.addFlow`, with the child jobs for which the job waits. */
export function createFlowJob<P, I>(
  definition: JobDefinition<P, I>,
  payload: I,
  options: FlowJobOptions = {},
): FlowJob {
  // The payload is checked against the schema when the flow is added.
  return { definition: definition as unknown as JobDefinition<unknown>, payload, options };
}

/** Functions of `Jobs` that {@link JobFlowAdder} calls. */
export interface JobFlowAdderOptions {
  readonly prepare: (job: FlowJob) => JobPreparedForBullMq;
  readonly keyPrefix: (name: string) => string;
  readonly logger: QueueLogger;
}

/** Adds flows. A flow is a tree of jobs, in which parents wait for their children. */
export class JobFlowAdder {
  private producer: FlowProducer | null = null;

  constructor(private readonly options: JobFlowAdderOptions) {}

  /**
   * Adds all jobs of a flow in one step, or adds none.
   *
   * @throws ZodError when a payload does not match its schema
   * @throws QueueUsageError on a Redis Cluster for a flow with several kinds of jobs
   */
  async addJobsOfFlow(redis: RedisClient, flow: FlowJob): Promise<void> {
    const node = this.toBullFlowJob(flow);
    if (redis.isCluster && listJobNamesOfFlow(flow).size > 1) {
      throw new QueueUsageError('All jobs of a flow on a Redis Cluster must be of one kind, whose keys share a slot');
    }
    this.producer ??= this.openFlowProducer(redis);
    await this.producer.add(node);
  }

  async closeFlowProducer(): Promise<void> {
    await this.producer?.close();
  }

  private openFlowProducer(redis: RedisClient): FlowProducer {
    const producer = new FlowProducer({ connection: redis });
    producer.on('error', (error) => {
      this.options.logger.debug({ error: formatErrorText(error) }, 'flow producer error');
    });
    return producer;
  }

  private toBullFlowJob(job: FlowJob): BullFlowJob {
    const { name, data, opts } = this.options.prepare(job);
    const { children = [], onFailure = 'fail-parent' } = job.options;
    const policy = onFailure === 'ignore' ? { ignoreDependencyOnFailure: true } : { failParentOnFailure: true };
    return {
      name,
      queueName: name,
      prefix: this.options.keyPrefix(name),
      data,
      opts: { ...opts, ...policy },
      ...(children.length > 0 && { children: children.map((child) => this.toBullFlowJob(child)) }),
    };
  }
}

function listJobNamesOfFlow({ definition, options }: FlowJob): Set<string> {
  return new Set([definition.name, ...(options.children ?? []).flatMap((child) => [...listJobNamesOfFlow(child)])]);
}
