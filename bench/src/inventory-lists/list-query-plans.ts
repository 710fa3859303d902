import { join } from 'node:path';
import pg from 'pg';
import { type LimitResult, compareWithLimit } from '../compare-with-baseline.js';
import { startServerProcess } from '../server-process.js';
import { repositoryRoot } from '../benchmark-services.js';
import { SqlStatementRecordingProxy, type ExecutedSqlStatement } from '../statement-log.js';

/** A list request with a filter on a large table. The benchmark checks the query plan of this request. */
interface FilteredListRequest {
  readonly title: string;
  readonly path: string;
  readonly table: string;
}

const filteredListRequests: readonly FilteredListRequest[] = [
  { title: 'devices of a site', path: 'dcim/devices/?site=site-1', table: 'dcim_device' },
  { title: 'devices in a status', path: 'dcim/devices/?status=failed', table: 'dcim_device' },
  { title: 'devices with a tag', path: 'dcim/devices/?tag=scarce', table: 'dcim_device' },
  { title: 'devices by a custom field', path: 'dcim/devices/?cf_asset_owner=owner-7', table: 'dcim_device' },
  { title: 'devices by q', path: 'dcim/devices/?q=device-777', table: 'dcim_device' },
  { title: 'interfaces of a site', path: 'dcim/interfaces/?site=site-1', table: 'dcim_interface' },
  { title: 'addresses within a prefix', path: 'ipam/ip-addresses/?parent=10.0.7.0/24', table: 'ipam_ipaddress' },
  { title: 'addresses by q', path: 'ipam/ip-addresses/?q=host-777', table: 'ipam_ipaddress' },
  { title: 'prefixes within a prefix', path: 'ipam/prefixes/?within=10.0.0.0/20', table: 'ipam_prefix' },
  { title: 'prefixes of a site', path: 'ipam/prefixes/?site=site-1', table: 'ipam_prefix' },
  { title: 'prefixes by a custom field', path: 'ipam/prefixes/?cf_asset_owner=owner-7', table: 'ipam_prefix' },
];

/** A node of a query plan in PostgreSQL's JSON format. */
interface QueryPlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Recheck Cond'?: string;
  readonly Plans?: readonly QueryPlanNode[];
}

/**
 * Returns one figure for each filtered list: the number of plan nodes that read the large table without an index
 * condition. The figure excludes index scans that stop at the end of the page, and includes scans that count all
 * matching rows.
 */
export async function measureFilteredListPlans(
  env: Record<string, string>,
  authorization: string,
): Promise<LimitResult[]> {
  const url = env['DATABASE_URL'] ?? '';
  const log = await SqlStatementRecordingProxy.startProxy(url);
  const product = await startServerProcess(
    join(repositoryRoot, 'apps/inventory/dist/bundle.js'),
    { ...env, DATABASE_URL: log.url },
    '/health/ready',
  );
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // Makes PostgreSQL use an index on small tables too, so that the remaining full scans are those without a usable
    // index.
    await client.query('SET enable_seqscan = off');
    const figures: LimitResult[] = [];
    for (const { title, path, table } of filteredListRequests) {
      log.removeAndReturnStatementTexts();
      const response = await fetch(`${product.origin}/api/${path}&limit=50`, { headers: { authorization } });
      const { count } = (await response.json()) as { count: number };
      if (!(count > 0)) throw new Error(`${path} finds nothing`);
      const run = log.removeAndReturnStatements().find(({ text }) => text.includes(`FROM ${table} t`));
      if (run === undefined) throw new Error(`${path}: the statement of the list was not seen`);
      const sum = await countUnboundedTableReads(client, run, table);
      figures.push(
        compareWithLimit(`Filtered list, ${title}`, 'reads of the table without an index condition', [sum], 0),
      );
    }
    return figures;
  } finally {
    await client.end();
    await product.stop();
    await log.stopProxy();
  }
}

async function countUnboundedTableReads(
  client: pg.Client,
  { text, values }: ExecutedSqlStatement,
  table: string,
): Promise<number> {
  const { rows } = await client.query<{ 'QUERY PLAN': readonly { readonly Plan: QueryPlanNode }[] }>(
    `EXPLAIN (FORMAT JSON) ${text}`,
    [...values],
  );
  return (
    rows[0]?.['QUERY PLAN'].reduce((sum, { Plan: plan }) => sum + countUnboundedPlanNodes(plan, table, false), 0) ?? 0
  );
}

function countUnboundedPlanNodes(node: QueryPlanNode, table: string, isStopped: boolean): number {
  const isRead = node['Relation Name'] === table && !node['Node Type'].startsWith('Modify');
  const hasCondition = node['Index Cond'] !== undefined || node['Recheck Cond'] !== undefined;
  const walksIndex = node['Node Type'].startsWith('Index');
  const own = isRead && !hasCondition && !(walksIndex && isStopped) ? 1 : 0;
  // A sort reads its entire input.
  const stops = node['Node Type'] === 'Limit' || (isStopped && node['Node Type'] !== 'Sort');
  return (node.Plans ?? []).reduce((sum, part) => sum + countUnboundedPlanNodes(part, table, stops), own);
}
