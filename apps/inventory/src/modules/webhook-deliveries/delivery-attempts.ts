import { inventoryErrors } from '../../errors.js';
import { type InventoryActor, requirePermissionGrant } from '../../engine/object-access.js';
import { type RequestedListPage, createPageLinks, ListPagingParser } from '../../engine/read/list-paging.js';
import { objectRowAlias } from '../../engine/read/object-json-sql.js';
import {
  joinJsonFragmentsIntoSql,
  createJsonObjectFragments,
  createJsonTimeFragment,
  createJsonValueFragment,
} from '../../engine/sql/json-text-sql.js';
import { SqlParameters } from '../../engine/sql/parameterized-statement.js';
import type { InventoryContext } from '../../http/inventory-context.js';
import { webhookDeliveryModel } from '../../models/extras/webhook-delivery.js';

/** Parsed request for the list of attempts of a webhook delivery. */
export interface DeliveryAttemptListRequest {
  readonly actor: InventoryActor;
  /** Id of the webhook delivery. */
  readonly id: string;
  readonly query: URLSearchParams;
  /** Absolute URL of the request, without the query string. */
  readonly url: string;
}

/**
 * SQL expression of the request body that an attempt sent. If the body equals the event context of the delivery, it is
 * stored only once, with the delivery.
 */
const sentBodySql = `CASE WHEN a.request_method IS NOT NULL THEN coalesce(a.request_body, ${objectRowAlias}.payload::text) END`;

const webhookDeliveryAttemptJsonSql = joinJsonFragmentsIntoSql(
  createJsonObjectFragments([
    ['number', [createJsonValueFragment('a.number')]],
    ['started', [createJsonTimeFragment('a.started')]],
    ['duration_ms', [createJsonValueFragment('a.duration_ms')]],
    ['request_method', [createJsonValueFragment('a.request_method')]],
    ['request_url', [createJsonValueFragment('a.request_url')]],
    ['request_headers', [createJsonValueFragment('a.request_headers')]],
    ['request_body', [createJsonValueFragment(sentBodySql)]],
    ['response_status', [createJsonValueFragment('a.response_status')]],
    ['response_headers', [createJsonValueFragment('a.response_headers')]],
    ['response_body', [createJsonValueFragment('a.response_body')]],
    ['response_truncated', [createJsonValueFragment('a.response_truncated')]],
    ['error', [createJsonValueFragment('a.error')]],
  ]),
);

/**
 * Reads the attempts of a webhook delivery in the order in which they were made. Only users who may view the delivery
 * can read its attempts.
 */
export class DeliveryAttemptReader {
  readonly #paging: ListPagingParser;

  constructor(private readonly parts: Pick<InventoryContext, 'database' | 'policy' | 'pageSizes'>) {
    this.#paging = new ListPagingParser(parts.pageSizes);
  }

  /**
   * Returns a page of a webhook delivery's attempts as JSON text. The query parameter `start` is the number of the
   * first attempt.
   *
   * @throws ApplicationError OBJECT_NOT_FOUND, or VALIDATION_FAILED for invalid paging
   */
  async listDeliveryAttempts({ actor, id, query, url }: DeliveryAttemptListRequest): Promise<string> {
    const grant = requirePermissionGrant(this.parts.policy, actor, webhookDeliveryModel, 'view');
    const page = this.#paging.parsePagingParameters(query);
    const parameters = new SqlParameters();
    const requested = `${objectRowAlias}.id = ${parameters.add(id, 'bigint')}`;
    const visible = grant.where === null ? '' : ` AND (${grant.where(objectRowAlias, parameters)})`;
    const own = `FROM webhook_delivery_attempts a WHERE a.delivery_sequence = ${objectRowAlias}.id`;
    const { rows } = await this.parts.database.query<{
      count: number;
      shown: number;
      last: number | null;
      results: string | null;
    }>(
      `SELECT (SELECT count(*) ${own}) AS count, p.*
         FROM ${webhookDeliveryModel.table} ${objectRowAlias} CROSS JOIN LATERAL (
           SELECT count(*) AS shown, max(number) AS last, string_agg(item, ', ' ORDER BY number) AS results
             FROM (SELECT a.number, ${webhookDeliveryAttemptJsonSql} AS item ${own}${createPageClauseSql(page, parameters)}) one) p
        WHERE ${requested}${visible}`,
      parameters.values,
    );
    const row = rows[0];
    if (row === undefined)
      throw inventoryErrors.create('OBJECT_NOT_FOUND', { params: { model: webhookDeliveryModel.objectName } });
    const facts = { count: Number(row.count), rows: Number(row.shown), lastId: row.last };
    const { count, next, previous } = createPageLinks(`${url}?${query.toString()}`, page, facts);
    const links = `"next": ${JSON.stringify(next)}, "previous": ${JSON.stringify(previous)}`;
    return `{"count": ${count}, ${links}, "results": [${row.results ?? ''}]}`;
  }
}

function createPageClauseSql(page: RequestedListPage, parameters: SqlParameters): string {
  const from = page.kind === 'cursor' ? ` AND a.number >= ${parameters.add(page.start, 'bigint')}` : '';
  const skipped = page.kind === 'offset' ? ` OFFSET ${parameters.add(page.offset, 'bigint')}` : '';
  return `${from} ORDER BY a.number LIMIT ${parameters.add(page.limit, 'bigint')}${skipped}`;
}
