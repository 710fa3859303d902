import { defineConfig } from 'prisma/config';

// Generating needs no database, so an absent variable must not stop the CLI: the fallback reaches none.
const url = process.env['DATABASE_URL_INVENTORY'] ?? 'postgresql://nobody@127.0.0.1:1/inventory';

export default defineConfig({
  schema: '.',
  migrations: { path: 'migrations' },
  datasource: { url },
});
