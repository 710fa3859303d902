import { z } from 'zod';

/** Environment variables with the paths of the PostgreSQL client programs, which backups use. */
export const postgresProgramsEnvironmentSchema = {
  PG_DUMP: z.string().default('pg_dump').meta({
    description:
      'Name or path of the program pg_dump for `admin backup`. The program must not be older than the server',
  }),
  PG_RESTORE: z.string().default('pg_restore').meta({
    description: 'Program pg_restore for `admin restore`, by its name or path',
  }),
  PSQL: z.string().default('psql').meta({
    description: 'Program psql for `admin restore`, by its name or path; of the same release as pg_restore',
  }),
};
