import { existsSync } from 'node:fs';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readPrismaClientSchema } from '../prisma-client-schema.mjs';
import { PrismaProject } from './prisma-project.js';

const models = `
model Channel {
  id   Int    @id @default(autoincrement())
  name String @unique
  kind String @db.Char(1)

  @@map("channels")
}
`;

let project: PrismaProject;

beforeAll(async () => {
  project = await PrismaProject.create();
  await project.writeModels(models);
});

afterAll(() => project.delete());

describe('prisma-drift.mjs and prisma-migration.mjs', { timeout: 60_000 }, () => {
  it('print missing SQL, write this SQL as a migration, and then print no difference', async () => {
    const drift = await project.tool('prisma-drift.mjs', 'chat');
    expect(drift.code).toBe(2);
    expect(drift.output).toContain('CREATE TABLE "channels"');

    expect(await project.tool('prisma-migration.mjs', 'chat', 'add_channels')).toMatchObject({ code: 0 });
    const name = (await readdir(project.migrations)).find((entry) => entry.endsWith('_add_channels')) ?? '';
    expect(name).toMatch(/^\d{14}_add_channels$/);
    expect(await readFile(join(project.migrations, name, 'migration.sql'), 'utf8')).toContain(
      'CREATE TABLE "channels"',
    );

    expect(await project.tool('prisma-drift.mjs', 'chat')).toEqual({ code: 0, output: '' });
    expect((await project.tool('prisma-migration.mjs', 'chat', 'nothing')).output).toContain('nothing to write');
  });

  it('ignore objects that Prisma cannot express, and tables outside public', async () => {
    await project.writeMigration(
      '20990101000000_by_hand',
      `CREATE SCHEMA queue; CREATE TABLE queue.outbox (id bigint PRIMARY KEY);
       ALTER TABLE channels ADD CHECK (name <> '');
       CREATE UNIQUE INDEX channels_lower_name_idx ON channels (lower(name));
       CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN NULL; RETURN 1; END; $$;`,
    );
    expect(await project.tool('prisma-drift.mjs', 'chat')).toEqual({ code: 0, output: '' });
  });

  it('give a new migration a name that sorts last, even if the clock is wrong', async () => {
    await project.writeModels(`${models}\nmodel Draft {\n  id Int @id\n}\n`);
    await project.tool('prisma-migration.mjs', 'chat', 'add_drafts');
    expect((await readdir(project.migrations)).sort().at(-2)).toBe('20990101000001_add_drafts');
  });

  it('leave no shadow database behind', async () => {
    const left = "SELECT datname FROM pg_database WHERE datname LIKE 'prisma\\_migrate\\_shadow%'";
    await expect.poll(() => project.onServer(left), { timeout: 10_000 }).toEqual([]);
  });

  it('exit with an error code when the comparison fails, instead of printing a difference', async () => {
    const ended = await project.tool('prisma-drift.mjs', 'chat', '--url=postgres://nobody@127.0.0.1:1/none');
    expect(ended.code).toBe(1);
    expect(await project.tool('prisma-drift.mjs', 'billing')).toMatchObject({ code: 1 });
    expect(await project.tool('prisma-migration.mjs', 'chat', 'Bad Name')).toMatchObject({ code: 1 });
  });
});

describe('prisma-generate.mjs', { timeout: 60_000 }, () => {
  it('creates Prisma clients offline, skips unchanged clients, and repairs incomplete clients', async () => {
    const client = join(project.root, 'apps/chat/src/generated/prisma');
    const generate = () => project.tool('prisma-generate.mjs', 'chat');
    expect((await generate()).output).toContain('client generated');
    expect(await readFile(join(client, 'client.ts'), 'utf8')).toContain('from "./internal/class.js"');

    const { mtimeMs } = await stat(join(client, 'client.ts'));
    expect((await generate()).output).toContain('up to date');
    expect((await stat(join(client, 'client.ts'))).mtimeMs).toBe(mtimeMs);

    await project.writeModels(`${models}\n// changed\n`);
    expect((await generate()).output).toContain('client generated');
    await rm(join(client, '.schema-hash'));
    expect((await generate()).output).toContain('client generated');
    expect(existsSync(join(client, '.schema-hash'))).toBe(true);
  });

  it('omits models that client.json does not name, and relations to these models', async () => {
    const file = join(project.root, 'prisma/chat/client.json');
    await project.writeModels(`
/// A place.
model Channel {
  id      Int       @id
  made    DateTime  @default(now())
  message Message[]
}

/// A text.
model Message {
  id        Int     @id
  channelId Int
  channel   Channel @relation(fields: [channelId], references: [id])
}
`);
    await writeFile(file, '{ "models": ["Channel"] }');
    const schema = readPrismaClientSchema('chat', project.root);
    expect(schema).toContain('/// A place.\nmodel Channel {\n  id      Int       @id\n');
    expect(schema).toContain('@default(dbgenerated("now()"))\n}');
    expect(schema).not.toMatch(/Message|A text/);
    await writeFile(file, '{ "models": ["Chanel"] }');
    expect(() => readPrismaClientSchema('chat', project.root)).toThrow('do not exist: Chanel');
    await rm(file);
  });

  it('fails with the message of Prisma for an invalid schema', async () => {
    await project.writeModels('model Broken {');
    const ended = await project.tool('prisma-generate.mjs', 'chat');
    expect(ended.code).toBe(1);
    expect(ended.output).toContain('Broken');
  });
});
