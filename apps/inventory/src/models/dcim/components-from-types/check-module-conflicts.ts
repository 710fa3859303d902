import type { Tx } from '@switchboard/database';
import type { ValidationMessagesByField } from '../../../engine/declaration/define-model.js';
import type { SqlText } from '../../../engine/sql/json-text-sql.js';
import { createPreparedQuery } from '../../../engine/sql/parameterized-statement.js';
import { lockDevices } from '../../../database-locks.js';
import {
  type ComponentKind,
  moduleBayComponentKind,
  componentKindsOfModules,
  createResolvedPlaceholdersSql,
} from './kinds-of-created-components.js';
import {
  moduleBayPositionsSql,
  virtualChassisPositionSql,
  getModuleComponentOptions,
  moduleComponentOwnerProperties,
} from './owners-of-created-components.js';

/** Values of a module to create, by field name. */
interface NewModuleValues {
  readonly device?: number | null;
  readonly module_bay?: number | null;
  readonly module_type?: number | null;
  readonly replicate_components?: unknown;
  readonly adopt_components?: unknown;
}

type ComponentConflictReason = 'no position' | 'wrong depth' | 'adopted' | 'exists' | 'too long';

/** The first component of a new module that can neither be created nor adopted, with the reason. */
type FoundComponentConflict = readonly [
  index: number,
  kind: string,
  name: string,
  fault: ComponentConflictReason,
  depth: number,
  placeholders: number,
];

/**
 * Returns the SQL expression of the number of placeholders in a text, if the text has more than one placeholder and the
 * number is wrong. The number must equal the depth of the module's bay. Otherwise the expression is null.
 */
function createPlaceholderMismatchSql(text: SqlText): SqlText {
  const placeholders = `(length(${text}) - length(replace(${text}, '{module}', ''))) / length('{module}')`;
  return `CASE WHEN ${placeholders} > 1 AND ${placeholders} <> cardinality(o.bay_positions) THEN ${placeholders} END`;
}

/**
 * Returns the SQL query for the names that templates of a kind give to components. Names of module bays are compared
 * only within one module, because bays of different modules may have the same name.
 */
function createComponentNamesSql(kind: ComponentKind, step: number): SqlText {
  const isBay = kind === moduleBayComponentKind;
  const name = createResolvedPlaceholdersSql('t.name');
  const isLong = [`length(${name}) > 64`, `length(${createResolvedPlaceholdersSql('t.label')}) > 64`];
  if (isBay) isLong.push(`length(${createResolvedPlaceholdersSql('t.position')}) > 30`);
  const texts = ['t.name', 't.label', ...(isBay ? ['t.position'] : [])];
  const installed = `(SELECT coalesce(c.module_id, 0) FROM ${kind.table} c WHERE c.device_id = o.device_id AND c.name = ${name})`;
  return `SELECT o.index, ${step} AS step, '${kind.objectName}' AS kind, t.id, t.name AS template, ${name} AS name,
      o.device_id, o.replicates, o.adopts, cardinality(o.bay_positions) AS depth,
      ${isBay ? 'o.index' : '0'} AS within, ${isBay ? 'NULL::bigint' : installed} AS installed_in,
      coalesce(${texts.map(createPlaceholderMismatchSql).join(', ')}) AS mismatched, ${isLong.join(' OR ')} AS is_long,
      strpos(t.name, '{module}') > 0 AND o.bay_positions[cardinality(o.bay_positions)] = ''
        ${isBay ? `AND ${name} = ''` : ''} AS lacks_position
    FROM o JOIN ${kind.templates} t ON t.module_type_id = o.module_type_id`;
}

/**
 * Maximum number of new components that {@link requireComponentsFitDevice} compares. The function skips larger
 * requests, which the limit CREATION_OBJECTS_MAX usually rejects later. If that limit is higher, unique indexes of the
 * component tables reject conflicts.
 */
const MAX_CHECKED_COMPONENTS = 100_000;

const componentTemplateRowsSql = componentKindsOfModules
  .map(
    ({ templates }) =>
      `SELECT module_type_id FROM ${templates} WHERE module_type_id IN (SELECT module_type_id FROM given)`,
  )
  .join(' UNION ALL ');

const componentConflictsQuerySql: SqlText = `WITH given AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset($1::jsonb) AS g (index integer, device_id bigint, module_bay_id bigint,
      module_type_id bigint, replicates boolean, adopts boolean)
  ), sizes AS MATERIALIZED (
    SELECT module_type_id, count(*) AS templates FROM (${componentTemplateRowsSql}) template GROUP BY module_type_id
  ), checked AS (
    SELECT given.*, sum(sizes.templates) OVER (ORDER BY given.index) AS components FROM given JOIN sizes USING (module_type_id)
  ), o AS MATERIALIZED (
    SELECT g.index, g.device_id, g.module_type_id, g.replicates, g.adopts, ${virtualChassisPositionSql}, ${moduleBayPositionsSql}
    FROM checked g
      JOIN dcim_device d ON d.id = g.device_id
      JOIN dcim_modulebay b ON b.id = g.module_bay_id AND b.device_id = g.device_id AND b.enabled
    WHERE g.components <= ${MAX_CHECKED_COMPONENTS}
  ), names AS MATERIALIZED (${componentKindsOfModules.map(createComponentNamesSql).join(' UNION ALL ')}),
  counted AS (
    SELECT names.*, count(*) FILTER (WHERE replicates OR installed_in = 0) OVER (
        PARTITION BY step, device_id, name, within ORDER BY index, template, id ROWS UNBOUNDED PRECEDING) AS ordinal
    FROM names
  ), faults AS (
    SELECT counted.*, CASE WHEN lacks_position THEN 'no position'
        WHEN mismatched IS NOT NULL THEN 'wrong depth'
        WHEN adopts AND installed_in > 0 THEN 'adopted'
        WHEN NOT adopts AND installed_in IS NOT NULL THEN 'exists'
        WHEN ordinal > 1 AND (replicates OR installed_in = 0) THEN 'exists'
        WHEN replicates AND is_long THEN 'too long' END AS fault
    FROM counted
  ) SELECT DISTINCT ON (index) index, kind, name, fault, depth, coalesce(mismatched, 0)
    FROM faults WHERE fault IS NOT NULL ORDER BY index, step, template, id`;

function createComponentConflictMessage([, kind, name, fault, depth, placeholders]: FoundComponentConflict): string {
  switch (fault) {
    case 'no position':
      return 'Cannot install module with placeholder values in a module bay with no position defined.';
    case 'wrong depth':
      return `Cannot install module with placeholder values in a module bay tree ${depth} levels deep but ${placeholders} placeholders given.`;
    case 'adopted':
      return `Cannot adopt ${kind} ${name} as it already belongs to a module`;
    case 'exists':
      return moduleComponentOwnerProperties.conflict({ objectName: kind }, name);
    case 'too long':
      return `The name, label or position of ${kind} ${name} is too long after resolving {module}.`;
  }
}

/**
 * Checks that each component of new modules can be created or adopted (docs/contract/inventory.md 3.3). Returns the
 * error messages for each module, or null for a module without conflict. Skips modules whose bays the database rejects.
 */
export async function requireComponentsFitDevice(
  tx: Tx,
  rows: readonly NewModuleValues[],
  previous: readonly unknown[],
): Promise<readonly (ValidationMessagesByField | null)[]> {
  const given = rows.flatMap((row, index) => {
    const { replicates, adopts } = getModuleComponentOptions({ ...row });
    if (previous[index] !== null || (!replicates && !adopts)) return [];
    const { device, module_bay: bay, module_type: type } = row;
    return [{ index, device_id: device, module_bay_id: bay, module_type_id: type, replicates, adopts }];
  });
  if (given.length === 0) return [];
  const adopting = given.flatMap(({ adopts, device_id: device }) => (adopts && device ? [device] : []));
  // Another request may adopt the same components. Components of the device are read by the statement after this lock.
  if (adopting.length > 0) await lockDevices(tx, adopting);
  const { rows: found } = await tx.query<FoundComponentConflict>(
    createPreparedQuery(componentConflictsQuerySql, [JSON.stringify(given)]),
  );
  const problems = rows.map((): ValidationMessagesByField | null => null);
  for (const fault of found) problems[fault[0]] = { non_field_errors: [createComponentConflictMessage(fault)] };
  return problems;
}
