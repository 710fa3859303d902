import { replaceLoneSurrogates } from '../../../../infra/normalized-text-key.js';
import { AdminError } from '../../admin-error.js';

/** Largest id that an import accepts. The limit leaves the table's id sequence enough further ids. */
const maxImportableRowId = 2_000_000_000;
const maxImportableMessageId = 2 ** 52;
const maxImportableUnixSeconds = 253_402_300_799;
const unstorableCharacterEscapePattern = /\\u(?:0000|d[89a-f])/i;

/**
 * A table row in an archive. The methods check the types of columns, and name the table, row and column in error
 * messages.
 */
export class ArchivedTableRow {
  private constructor(
    readonly table: string,
    private readonly columns: Readonly<Record<string, unknown>>,
  ) {}

  /**
   * Parses a line of JSON text that contains one row of an archived table.
   *
   * @throws AdminError if the text is not a JSON object
   */
  static parse(table: string, text: string): ArchivedTableRow {
    const row = parseArchiveObject(text);
    if (row === null) throw new AdminError(`The archive has a row in ${table} that is not a JSON object.`);
    return new ArchivedTableRow(table, row);
  }

  /**
   * Parses a JSON array of objects from a text column. Returns one row for each object. Returns null if the text is not
   * a JSON array of objects.
   */
  static parseJsonArrayOfRows(table: string, text: string): ArchivedTableRow[] | null {
    const list = parseArchiveJson(text);
    if (!Array.isArray(list)) return null;
    const rows = list.map((one: unknown) => (isArchivedJsonObject(one) ? new ArchivedTableRow(table, one) : null));
    return rows.some((row) => row === null) ? null : rows.filter((row) => row !== null);
  }

  hasColumnValue(column: string): boolean {
    return Object.hasOwn(this.columns, column) && this.columns[column] !== null;
  }

  /** Returns a column's value without checking its type; undefined if the column does not exist. */
  getUncheckedColumnValue(column: string): unknown {
    return Object.hasOwn(this.columns, column) ? this.columns[column] : undefined;
  }

  /** Returns the id that a column of the archived row contains. */
  readId(column = 'id'): number {
    const id = this.getUncheckedColumnValue(column);
    if (!isImportableId(id, maxImportableRowId)) throw this.#invalidColumnError(column, 'an id');
    return id;
  }

  readOptionalId(column: string): number | null {
    return this.hasColumnValue(column) ? this.readId(column) : null;
  }

  /** Returns the message id that a column of the archived row contains. */
  readMessageId(column = 'id'): number {
    const id = this.getUncheckedColumnValue(column);
    if (!isImportableId(id, maxImportableMessageId)) throw this.#invalidColumnError(column, 'an id of a message');
    return id;
  }

  readInteger(column: string): number {
    const value = this.getUncheckedColumnValue(column);
    if (typeof value !== 'number' || !Number.isInteger(value) || Math.abs(value) > 2_147_483_647) {
      throw this.#invalidColumnError(column, 'an integer');
    }
    return value;
  }

  readOptionalInteger(column: string): number | null {
    return this.hasColumnValue(column) ? this.readInteger(column) : null;
  }

  readText(column: string): string {
    const value = this.getUncheckedColumnValue(column);
    if (typeof value !== 'string') throw this.#invalidColumnError(column, 'a text');
    return value;
  }

  readOptionalText(column: string): string | null {
    return this.hasColumnValue(column) ? this.readText(column) : null;
  }

  /** Returns the boolean value of a column; false if the column does not exist or is null. */
  readBoolean(column: string): boolean {
    const value = this.getUncheckedColumnValue(column) ?? false;
    if (typeof value !== 'boolean') throw this.#invalidColumnError(column, 'a boolean');
    return value;
  }

  readOptionalBoolean(column: string): boolean | null {
    return this.hasColumnValue(column) ? this.readBoolean(column) : null;
  }

  /** Returns the time in a column in ISO 8601 format. The archive contains the time in UNIX seconds. */
  readTime(column: string): string {
    const seconds = this.getUncheckedColumnValue(column);
    if (typeof seconds !== 'number' || Math.abs(seconds) > maxImportableUnixSeconds)
      throw this.#invalidColumnError(column, 'a time');
    return new Date(seconds * 1000).toISOString();
  }

  readOptionalTime(column: string): string | null {
    return this.hasColumnValue(column) ? this.readTime(column) : null;
  }

  /** Returns the list of message ids in a column; empty if the column does not exist. */
  readMessageIds(column: string): number[] {
    const list = this.getUncheckedColumnValue(column) ?? [];
    if (!Array.isArray(list) || !list.every((id) => isImportableId(id, maxImportableMessageId)))
      throw this.#invalidColumnError(column, 'a list of ids');
    return list;
  }

  #invalidColumnError(column: string, wanted: string): AdminError {
    const id = this.getUncheckedColumnValue('id');
    const row = typeof id === 'number' ? `the row ${id} of ${this.table}` : `a row of ${this.table}`;
    return new AdminError(`The archive is not valid: ${column} of ${row} is not ${wanted}.`);
  }
}

function isImportableId(value: unknown, most: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= most;
}

function isArchivedJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseArchiveObject(text: string): Record<string, unknown> | null {
  const value = parseArchiveJson(text);
  return isArchivedJsonObject(value) ? value : null;
}

/**
 * Parses a JSON text. Characters that PostgreSQL cannot store are removed or replaced. Returns undefined for a
 * malformed text.
 */
export function parseArchiveJson(text: string): unknown {
  try {
    if (!unstorableCharacterEscapePattern.test(text)) return JSON.parse(text);
    return JSON.parse(text, (_key, value: unknown) =>
      typeof value === 'string' ? replaceLoneSurrogates(value.replaceAll('\0', '')) : value,
    );
  } catch {
    return undefined;
  }
}
