/** Help text of the command line. A test compares the text with the README. */
export const helpText = `Usage: switchboard-queue <command> [options]

Commands:
  migrate               apply the migrations that are pending
  status                show migrations, waiting outbox rows and dead letters; changes nothing
  sql                   print the SQL of all migrations as one transaction; needs no database
  dead-letters list     list dead letters by message type and id
  dead-letters requeue  dispatch dead letters again, with no failures counted
  dead-letters discard  delete dead letters, whose work is then never done

Options:
  --database-url <url>  PostgreSQL; default: the variable DATABASE_URL
  --redis-url <url>     Redis, which status checks, and by which requeue and discard wake workers;
                        default: the variable REDIS_URL; without it workers find the rows at their next sweep
  --schema <name>       schema of the tables; default: queue
  --json                print JSON
  --help                print this text
  --version             print the version of the package

Options of dead-letters:
  <id> ...              ids for requeue and discard; without ids they need --type or --before
  --type <name>         message type; the type of jobs added in transactions is job:<name>
  --before <time>       dead letters that failed before a time, such as 2026-11-30 or 2026-11-30T12:00:00Z
  --limit <number>      maximum number of dead letters; default for list: 100
  --after <cursor>      list: continue after a page, with the cursor that the page ends with
  --payload             list: print payloads too; a page then ends at 4 MiB of them
  --yes                 requeue, discard: confirm the change of more than one dead letter

Exit codes: 0 done, 1 failed, 2 wrong command line or missing --yes, 3 migrations are pending (status)
`;
