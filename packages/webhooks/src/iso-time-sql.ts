/**
 * Returns the SQL expression that formats a timestamp column as ISO 8601 text in UTC with milliseconds, such as
 * `2026-11-29T10:00:00.000Z`.
 */
export const createIsoTimeSql = (column: string): string =>
  `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
