import type pg from 'pg';
import type { DeferredIndexOrConstraint } from './deferred-definitions.js';

const createFillProgressTablesSql = `
  CREATE SCHEMA IF NOT EXISTS scale;
  CREATE TABLE IF NOT EXISTS scale.steps (name text PRIMARY KEY);
  CREATE TABLE IF NOT EXISTS scale.definitions (at integer, name text, statement text, PRIMARY KEY (at, name))`;

/**
 * Progress of filling a database, stored in a schema of that database, so that a step and its record commit together.
 */
export class DatabaseFillProgress {
  private constructor(
    private readonly client: pg.Client,
    private readonly done: Set<string>,
  ) {}

  static async readFillProgress(client: pg.Client): Promise<DatabaseFillProgress> {
    await client.query(createFillProgressTablesSql);
    const { rows } = await client.query<{ name: string }>('SELECT name FROM scale.steps');
    return new DatabaseFillProgress(client, new Set(rows.map(({ name }) => name)));
  }

  isStepDone(step: string): boolean {
    return this.done.has(step);
  }

  /** Runs a step of filling a database in a transaction. Does nothing if the step is already recorded as done. */
  async runStepOnce(step: string, log: (line: string) => void, work: () => Promise<void>): Promise<void> {
    if (this.done.has(step)) return;
    const started = performance.now();
    await this.client.query('BEGIN');
    try {
      await work();
      await this.client.query('INSERT INTO scale.steps (name) VALUES ($1)', [step]);
      await this.client.query('COMMIT');
    } catch (error) {
      await this.client.query('ROLLBACK');
      throw error;
    }
    this.done.add(step);
    log(`  ${step}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
  }

  /** Records as done a step of filling a database that cannot run in a transaction. */
  async recordStep(step: string): Promise<void> {
    await this.client.query('INSERT INTO scale.steps (name) VALUES ($1)', [step]);
    this.done.add(step);
  }

  async storeDeferredDefinitions(definitions: readonly DeferredIndexOrConstraint[]): Promise<void> {
    for (const { at, name, statement } of definitions) {
      await this.client.query('INSERT INTO scale.definitions VALUES ($1, $2, $3)', [at, name, statement]);
    }
  }

  async readDeferredDefinitions(): Promise<DeferredIndexOrConstraint[]> {
    const { rows } = await this.client.query<DeferredIndexOrConstraint>(
      'SELECT at, name, statement FROM scale.definitions ORDER BY at, name',
    );
    return rows;
  }
}
