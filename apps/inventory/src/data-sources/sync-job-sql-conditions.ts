/** Name of the model of the objects to which synchronization jobs belong. */
export const dataSourceTypeName = 'core.datasource';

/**
 * SQL condition that a job `alias` is unfinished. The condition equals the condition of the partial index of due jobs.
 */
export const createIsJobUnfinishedSql = (alias: string): string =>
  `${alias}.status IN ('pending', 'scheduled', 'running')`;

/**
 * SQL expression for the id of the data source of an unfinished job `alias`; null for other jobs. Only the index of
 * unfinished jobs contains this expression, so a comparison never reads finished jobs of the source.
 */
export const createUnfinishedJobSourceSql = (alias: string): string =>
  `(CASE WHEN ${createIsJobUnfinishedSql(alias)} AND ${alias}.object_type = '${dataSourceTypeName}' THEN ${alias}.object_id END)`;

/**
 * SQL expression for the id of the data source of a running job `alias`; null for other jobs. An index contains this
 * expression.
 */
export const createRunningJobSourceSql = (alias: string): string =>
  `(CASE WHEN ${alias}.status = 'running' AND ${alias}.object_type = '${dataSourceTypeName}' THEN ${alias}.object_id END)`;
