import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyMigrations, readMigrationStatus } from '../../packages/database/src/index.js';
import { PrismaProject } from './prisma-project.js';

const first = '20260101000000_first';
const second = '20260102000000_second';

let project: PrismaProject;

beforeAll(async () => {
  project = await PrismaProject.create();
  await project.writeMigration(first, 'CREATE TABLE one (id int PRIMARY KEY);');
  const body = '$$ BEGIN NULL; RETURN 1; END; $$';
  await project.writeMigration(second, `CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS ${body}; -- done`);
});

afterAll(() => project.delete());

const apply = (url: string) => applyMigrations({ url, folder: project.migrations, log: () => {} });

const columns = `
  SELECT column_name, data_type, character_maximum_length, is_nullable, column_default
    FROM information_schema.columns WHERE table_name = '_prisma_migrations' ORDER BY ordinal_position`;
const history = `
  SELECT migration_name, checksum, applied_steps_count, logs, rolled_back_at, finished_at IS NOT NULL AS finished
    FROM _prisma_migrations ORDER BY started_at`;

// Each start of Prisma's CLI takes a second, or several on a busy machine.
describe('applyMigrations and `prisma migrate` on one database', { timeout: 60_000 }, () => {
  it('create the same tables and rows, which the other accepts as complete', async () => {
    const [ours, theirs] = [project.newDatabase(), project.newDatabase()];
    expect(await apply(ours)).toEqual({ applied: [first, second] });
    expect(await project.prisma(theirs, 'migrate', 'deploy')).toMatchObject({ code: 0 });

    expect(await project.query(ours, columns)).toEqual(await project.query(theirs, columns));
    expect(await project.query(ours, history)).toEqual(await project.query(theirs, history));
    expect(await project.query(theirs, 'SELECT f()')).toEqual([{ f: 1 }]);

    expect(await apply(theirs)).toEqual({ applied: [] });
    const [status, deploy] = await Promise.all([
      project.prisma(ours, 'migrate', 'status'),
      project.prisma(ours, 'migrate', 'deploy'),
    ]);
    expect(status.output).toContain('Database schema is up to date');
    expect(deploy.output).toContain('No pending migrations to apply');
  });

  it('detect failures and rollback marks that the other has recorded', async () => {
    const failing = '20260103000000_failing';
    await project.writeMigration(failing, 'SELECT 1 / 0;');
    const [ours, theirs] = [project.newDatabase(), project.newDatabase()];
    await expect(apply(ours)).rejects.toMatchObject({ fault: 'failed', migration: failing });
    const refused = project.prisma(ours, 'migrate', 'deploy');
    expect((await project.prisma(theirs, 'migrate', 'deploy')).code).toBe(1);
    expect((await refused).output).toContain('P3009');

    const status = await readMigrationStatus({ url: theirs, folder: project.migrations });
    expect(status.problem).toMatchObject({ fault: 'failed', migration: failing });

    await project.writeMigration(failing, 'SELECT 1;');
    expect(await project.prisma(ours, 'migrate', 'resolve', '--rolled-back', failing)).toMatchObject({ code: 0 });
    expect(await apply(ours)).toEqual({ applied: [failing] });
    expect((await project.prisma(ours, 'migrate', 'status')).output).toContain('Database schema is up to date');
  });
});
