import { defineConfig } from 'prisma/config';

// Generating needs no database, so an absent variable must not stop the CLI: the fallback reaches none.
const url = process.env['DATABASE_URL_CHAT'] ?? 'postgresql://nobody@127.0.0.1:1/chat';

export default defineConfig({
  schema: '.',
  migrations: { path: 'migrations' },
  datasource: { url },
});
