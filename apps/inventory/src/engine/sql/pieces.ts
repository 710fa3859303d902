/** SQL text that the engine made; never text from a client. */
export type Sql = string;

/** A part of a JSON text under construction: fixed text, or an SQL expression that yields JSON text and is never null. */
export type Piece = { readonly text: string } | { readonly sql: Sql };

/** A constant part. */
export function text(value: string): Piece {
  return { text: value };
}

/** A part that PostgreSQL computes. */
export function sql(expression: Sql): Piece {
  return { sql: expression };
}

/** The expression as JSON text; `null` when it is null. */
export function jsonValue(expression: Sql): Piece {
  return sql(`coalesce(to_json(${expression})::text, 'null')`);
}

/** The expression as a JSON string. It must not be null. */
export function jsonString(expression: Sql): Piece {
  return sql(`to_json(${expression}::text)::text`);
}

/** The whole number as JSON text; `null` when it is null. */
export function jsonInteger(expression: Sql): Piece {
  return sql(`coalesce(${expression}::text, 'null')`);
}

/** The text as JSON text; `null` when it is null. */
export function jsonText(expression: Sql): Piece {
  return sql(`coalesce(to_json(${expression}::text)::text, 'null')`);
}

/** A time as JSON text: ISO 8601 in UTC with microseconds and `Z` (docs/contract/inventory.md 1.1). */
export function jsonTime(expression: Sql): Piece {
  return sql(`coalesce(to_char(${expression} AT TIME ZONE 'UTC', '"\\""YYYY-MM-DD"T"HH24:MI:SS.US"Z\\""'), 'null')`);
}

/** A quoted SQL literal. */
export function literal(value: string): Sql {
  return `'${value.replaceAll("'", "''")}'`;
}

/** A quoted SQL identifier. */
export function identifier(name: string): Sql {
  return `"${name.replaceAll('"', '""')}"`;
}

/** The pieces of a JSON object with these members, in this order. */
export function jsonObject(members: readonly (readonly [name: string, value: readonly Piece[]])[]): Piece[] {
  const pieces = members.flatMap(([name, value], index) => [
    text(`${index === 0 ? '' : ', '}${JSON.stringify(name)}: `),
    ...value,
  ]);
  return [text('{'), ...pieces, text('}')];
}

/**
 * One expression of type text that joins the pieces; null when one of them is, which none must be.
 *
 * Halves are joined with one another, so that what is joined early is copied few times. Measured on a page of 50
 * devices this takes about half the time of `concat`, which turns each part into a C string first, and a quarter of
 * that of `json_build_object`, which looks up the type of each argument again for each row.
 */
export function assemble(pieces: readonly Piece[]): Sql {
  const joined: Sql[] = [];
  let pending = '';
  for (const piece of pieces) {
    if ('text' in piece) {
      pending += piece.text;
      continue;
    }
    if (pending !== '') joined.push(literal(pending));
    pending = '';
    joined.push(`(${piece.sql})::text`);
  }
  if (pending !== '') joined.push(literal(pending));
  return joined.length === 0 ? literal('') : halves(joined);
}

function halves(parts: readonly Sql[]): Sql {
  const [first = ''] = parts;
  if (parts.length === 1) return first;
  const middle = parts.length >> 1;
  return `(${halves(parts.slice(0, middle))} || ${halves(parts.slice(middle))})`;
}
