import { inventoryErrors } from '../../errors.js';
import { type InventoryActor, requirePermissionGrant } from '../../engine/object-access.js';
import { type PageRequest, createPageLinks, ListPaging } from '../../engine/read/list-paging.js';
import { objectRowAlias } from '../../engine/read/object-json-sql.js';
import { assembleJsonText, jsonObject, jsonTime, jsonValue } from '../../engine/sql/json-text-sql.js';
import { SqlParameters } from '../../engine/sql/parameterized-statement.js';
import type { InventoryContext } from '../../http/inventory-context.js';
import { webhookDeliveryModel } from '../../models/extras/webhook-delivery.js';

/** Parsed request for the list of attempts of a webhook delivery. */
export interface AttemptListRequest {
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

const attemptJsonSql = assembleJsonText(
  jsonObject([
    ['number', [jsonValue('a.number')]],
    ['started', [jsonTime('a.started')]],
    ['duration_ms', [jsonValue('a.duration_ms')]],
    ['request_method', [jsonValue('a.request_method')]],
    ['request_url', [jsonValue('a.request_url')]],
    ['request_headers', [jsonValue('a.request_headers')]],
    ['request_body', [jsonValue(sentBodySql)]],
    ['response_status', [jsonValue('a.response_status')]],
    ['response_headers', [jsonValue('a.response_headers')]],
    ['response_body', [jsonValue('a.response_body')]],
    ['response_truncated', [jsonValue('a.response_truncated')]],
    ['error', [jsonValue('a.error')]],
  ]),
);

/**
 * Reads the attempts of a webhook delivery in the order in which they were made. Only users who may view the delivery
 * can read its attempts.
 */
export class DeliveryAttempts {
  readonly #paging: ListPaging;

  constructor(private readonly parts: Pick<InventoryContext, 'database' | 'policy' | 'pageSizes'>) {
    this.#paging = new ListPaging(parts.pageSizes);
  }

  /**
   * Returns a page of a webhook delivery's attempts as JSON text. The query parameter `start` is the number of the
   * first attempt.
   *
   * @throws AppError OBJECT_NOT_FOUND, or VALIDATION_FAILED for invalid paging
   */
  async list({ actor, id, query, url }: AttemptListRequest): Promise<string> {
    const grant = requirePermissionGrant(this.parts.policy, actor, webhookDeliveryModel, 'view');
    const page = this.#paging.read(query);
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
             FROM (SELECT a.number, ${attemptJsonSql} AS item ${own}${pageClauseSql(page, parameters)}) one) p
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

function pageClauseSql(page: PageRequest, parameters: SqlParameters): string {
  const from = page.kind === 'cursor' ? ` AND a.number >= ${parameters.add(page.start, 'bigint')}` : '';
  const skipped = page.kind === 'offset' ? ` OFFSET ${parameters.add(page.offset, 'bigint')}` : '';
  return `${from} ORDER BY a.number LIMIT ${parameters.add(page.limit, 'bigint')}${skipped}`;
}
