import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Temporary folder of migration files, which a test fills and changes. */
export class MigrationsFolder {
  private constructor(readonly path: string) {}

  /** Creates an empty folder of migrations in Prisma's layout for PostgreSQL. */
  static async create(): Promise<MigrationsFolder> {
    const folder = new MigrationsFolder(await mkdtemp(join(tmpdir(), 'switchboard-migrations-')));
    await writeFile(join(folder.path, 'migration_lock.toml'), 'provider = "postgresql"\n');
    return folder;
  }

  async write(name: string, sql: string): Promise<void> {
    await mkdir(join(this.path, name), { recursive: true });
    await writeFile(join(this.path, name, 'migration.sql'), sql);
  }

  async remove(name: string): Promise<void> {
    await rm(join(this.path, name), { recursive: true });
  }

  async delete(): Promise<void> {
    await rm(this.path, { recursive: true });
  }
}
