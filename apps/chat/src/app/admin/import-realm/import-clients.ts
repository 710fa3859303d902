import type { RealmImportContext } from './import-context.js';

const unspecifiedClientName = 'Unspecified';
const maxImportedClientNameLength = 100;

/** Ids that client programs have in this service, by the ids that the same programs have in the archive. */
export class ImportedClientPrograms {
  constructor(
    private readonly ids: ReadonlyMap<number, number>,
    private readonly names: ReadonlyMap<number, string>,
    private readonly unspecified: number,
  ) {}

  getClientId(archivedId: number | null): number {
    return (archivedId === null ? undefined : this.ids.get(archivedId)) ?? this.unspecified;
  }

  getClientName(archivedId: number | null): string {
    return (archivedId === null ? undefined : this.names.get(archivedId)) ?? unspecifiedClientName;
  }
}

/**
 * Inserts the names of client programs that are in the archive but not yet in the database. Returns the ids of the
 * clients.
 */
export async function importClientPrograms({ tx, archive }: RealmImportContext): Promise<ImportedClientPrograms> {
  const rows = await archive.tables.readTable('zerver_client');
  const names = new Map(
    rows.map((row) => [
      row.readInteger('id'),
      row.readText('name').slice(0, maxImportedClientNameLength) || unspecifiedClientName,
    ]),
  );
  const distinct = [...new Set([...names.values(), unspecifiedClientName])];
  await tx.query('INSERT INTO clients (name) SELECT unnest($1::text[]) ON CONFLICT (name) DO NOTHING', [distinct]);
  const { rows: stored } = await tx.query<{ id: number; name: string }>(
    'SELECT id, name FROM clients WHERE name = ANY($1)',
    [distinct],
  );
  const idByName = new Map(stored.map(({ id, name }) => [name, id]));
  const unspecified = idByName.get(unspecifiedClientName) ?? 0;
  const ids = new Map([...names].map(([id, name]) => [id, idByName.get(name) ?? unspecified]));
  return new ImportedClientPrograms(ids, names, unspecified);
}
