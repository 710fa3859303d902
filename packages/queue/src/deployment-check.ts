import type { QueuePool, QueueTx } from './database.js';
import { DEFAULT_QUEUE_SCHEMA, toSchemaIdentifier } from './queue-schema.js';
import { QueueUsageError } from './queue-usage-error.js';

/** SQLSTATE with which `require_prefix` in sql/005_deployment.sql rejects a deployment that does not own the schema. */
const OTHER_DEPLOYMENT_SQL_STATE = 'QUE01';

/** SQLSTATE of the error for a table that does not exist. */
const MISSING_TABLE_SQL_STATE = '42P01';

/**
 * Checks that the database schema of an outbox belongs to the deployment of the process. The Redis key prefix
 * identifies a deployment.
 */
export class DeploymentCheck {
  private isConfirmed = false;
  private refusal: QueueUsageError | null = null;
  private runningCheck: Promise<void> | null = null;

  constructor(
    private readonly pool: QueuePool,
    private readonly schema: string,
    private readonly prefix: string,
  ) {}

  /**
   * True until a check of the deployment has succeeded. As long as it is true, {@link checkDeploymentInTransaction}
   * sends a statement.
   */
  get isCheckPending(): boolean {
    return !this.isConfirmed;
  }

  /**
   * Throws an error if an earlier check has failed. @throws QueueUsageError if the schema belongs to another deployment
   */
  assertDeploymentAccepted(): void {
    if (this.refusal) throw this.refusal;
  }

  /**
   * Checks that the schema belongs to this deployment. Records this deployment if the schema belongs to no deployment
   * yet. Does nothing after a successful check.
   *
   * @throws QueueUsageError if the schema belongs to another deployment
   * @throws Error of the database, after which the check can be repeated
   */
  checkDeployment(): Promise<void> {
    if (this.isConfirmed) return Promise.resolve();
    this.runningCheck ??= this.requireAcceptance(this.pool)
      .then(() => this.recordSuccessfulCheck())
      .finally(() => (this.runningCheck = null));
    return this.runningCheck;
  }

  /**
   * Checks in a transaction of the caller that the schema belongs to this deployment. The result is valid only after
   * this transaction has been committed.
   */
  async checkDeploymentInTransaction(tx: QueueTx): Promise<void> {
    if (!this.isConfirmed) await this.requireAcceptance(tx);
  }

  /** Records that a transaction that called {@link checkDeploymentInTransaction} was committed. */
  recordSuccessfulCheck(): void {
    this.isConfirmed = true;
  }

  private async requireAcceptance(connection: QueueTx): Promise<void> {
    this.assertDeploymentAccepted();
    try {
      await connection.query(`SELECT FROM ${this.schema}.require_prefix($1)`, [this.prefix]);
    } catch (error) {
      if (!(error instanceof Error) || !('code' in error) || error.code !== OTHER_DEPLOYMENT_SQL_STATE) throw error;
      const advice =
        'Give each deployment a separate schema and prefix. To change the prefix of a deployment, stop its processes ' +
        `and call setQueuePrefix, or run UPDATE ${this.schema}.switchboard_deployment SET prefix = '...'`;
      this.refusal = new QueueUsageError(`${error.message}. ${advice}`, { cause: error });
      throw this.refusal;
    }
  }
}

/** New Redis key prefix, and the schema of the deployment that changes to this prefix. */
export interface QueuePrefixOptions {
  /** New Redis key prefix of the deployment. */
  prefix: string;
  /** Database schema that contains the queue tables of the deployment. Default `queue`. */
  schema?: string;
}

/**
 * Records a new Redis key prefix for the deployment that owns a database schema. All processes of the deployment must
 * be stopped first. Existing jobs remain under the old prefix, and clients of the event log must register again.
 */
export async function setQueuePrefix(
  pool: QueuePool,
  { prefix, schema = DEFAULT_QUEUE_SCHEMA }: QueuePrefixOptions,
): Promise<void> {
  await pool.query(
    `INSERT INTO ${toSchemaIdentifier(schema)}.switchboard_deployment (prefix) VALUES ($1)
     ON CONFLICT (is_only_row) DO UPDATE SET prefix = excluded.prefix, recorded_at = now()`,
    [prefix],
  );
}

/**
 * Returns the Redis key prefix of the deployment that owns a database schema. Returns null if no process has used the
 * schema, or if the schema has no queue tables.
 */
export async function readDeploymentPrefix(pool: QueueTx, schema: string): Promise<string | null> {
  try {
    const { rows } = await pool.query<{ prefix: string }>(
      `SELECT prefix FROM ${toSchemaIdentifier(schema)}.switchboard_deployment`,
    );
    return rows[0]?.prefix ?? null;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === MISSING_TABLE_SQL_STATE) return null;
    throw error;
  }
}

/**
 * Checks that an event log and its outbox belong to the same deployment. @throws QueueUsageError if an event log has
 *   another schema or prefix than its outbox
 */
export function assertSameDeployment(
  log: { readonly schema: string; readonly prefix: string },
  outbox: { readonly schema: string; readonly prefix: string },
): void {
  for (const name of ['schema', 'prefix'] as const) {
    if (log[name] === outbox[name]) continue;
    throw new QueueUsageError(`The event log has ${name} ${log[name]}, but its outbox has ${name} ${outbox[name]}`);
  }
}
