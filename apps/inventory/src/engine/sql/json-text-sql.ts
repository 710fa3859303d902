/** SQL text that contains only code written in this program, and no text from a client. */
export type SqlText = string;

/**
 * A fragment of JSON text in an SQL statement: constant text, or an SQL expression that computes JSON text and is never
 * null.
 */
export type JsonTextFragment = { readonly text: string } | { readonly sql: SqlText };

export function createConstantJsonFragment(value: string): JsonTextFragment {
  return { text: value };
}

/** Returns a fragment of JSON text that consists of an SQL expression, which PostgreSQL computes. */
export function createComputedJsonFragment(expression: SqlText): JsonTextFragment {
  return { sql: expression };
}

/** Returns the fragment of JSON text for the value of an SQL expression. The text is `null` if the value is null. */
export function createJsonValueFragment(expression: SqlText): JsonTextFragment {
  return createComputedJsonFragment(`coalesce(to_json(${expression})::text, 'null')`);
}

/** Returns the fragment of JSON text for an SQL text expression that is never null: a JSON string. */
export function createJsonStringFragment(expression: SqlText): JsonTextFragment {
  return createComputedJsonFragment(`to_json(${expression}::text)::text`);
}

/** Returns the fragment of JSON text for an SQL integer expression: a JSON number, or `null` if the value is null. */
export function createJsonIntegerFragment(expression: SqlText): JsonTextFragment {
  return createComputedJsonFragment(`coalesce(${expression}::text, 'null')`);
}

/** Returns the fragment of JSON text for an SQL text expression: a JSON string, or `null` if the value is null. */
export function createJsonTextFragment(expression: SqlText): JsonTextFragment {
  return createComputedJsonFragment(`coalesce(to_json(${expression}::text)::text, 'null')`);
}

/**
 * Returns the fragment of JSON text for an SQL expression of a point in time: ISO 8601 in UTC, with microseconds and
 * `Z` (docs/contract/inventory.md 1.1).
 */
export function createJsonTimeFragment(expression: SqlText): JsonTextFragment {
  return createComputedJsonFragment(
    `coalesce(to_char(${expression} AT TIME ZONE 'UTC', '"\\""YYYY-MM-DD"T"HH24:MI:SS.US"Z\\""'), 'null')`,
  );
}

export function quoteSqlLiteral(value: string): SqlText {
  return `'${value.replaceAll("'", "''")}'`;
}

export function quoteSqlIdentifier(name: string): SqlText {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Returns the fragments of JSON text for a JSON object whose members have the given order. */
export function createJsonObjectFragments(
  members: readonly (readonly [name: string, value: readonly JsonTextFragment[]])[],
): JsonTextFragment[] {
  const pieces = members.flatMap(([name, value], index) => [
    createConstantJsonFragment(`${index === 0 ? '' : ', '}${JSON.stringify(name)}: `),
    ...value,
  ]);
  return [createConstantJsonFragment('{'), ...pieces, createConstantJsonFragment('}')];
}

/**
 * Joins fragments of JSON text into one SQL text expression. No fragment may be null. The expression concatenates the
 * fragments in a balanced tree, so that PostgreSQL copies each text few times. For a page of 50 devices, the expression
 * takes half the time of `concat`, which first converts each argument to a C string. It takes a quarter of the time of
 * `json_build_object`, which looks up the type of each argument for each row.
 */
export function joinJsonFragmentsIntoSql(pieces: readonly JsonTextFragment[]): SqlText {
  const joined: SqlText[] = [];
  let pending = '';
  for (const piece of pieces) {
    if ('text' in piece) {
      pending += piece.text;
      continue;
    }
    if (pending !== '') joined.push(quoteSqlLiteral(pending));
    pending = '';
    joined.push(`(${piece.sql})::text`);
  }
  if (pending !== '') joined.push(quoteSqlLiteral(pending));
  return joined.length === 0 ? quoteSqlLiteral('') : concatenateSqlInBalancedTree(joined);
}

function concatenateSqlInBalancedTree(parts: readonly SqlText[]): SqlText {
  const [first = ''] = parts;
  if (parts.length === 1) return first;
  const middle = parts.length >> 1;
  return `(${concatenateSqlInBalancedTree(parts.slice(0, middle))} || ${concatenateSqlInBalancedTree(parts.slice(middle))})`;
}
