import { setImmediate as nextRound } from 'node:timers/promises';
import { getRequestActor, type AuthenticatedRequest } from '@switchboard/nest';
import { All, Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { actorWithoutCredentials } from '../../auth/anonymous-actor.js';
import type { InventoryActor } from '../../engine/object-access.js';
import { loadCodeListChoices } from '../../custom-fields/base-choice-lists.js';
import { createPathOptionsResponse } from '../../engine/meta/options-response.js';
import { readObject } from '../../engine/read/object-reader.js';
import { paginateList, ListPagingParser } from '../../engine/read/list-paging.js';
import { allFieldsSelection } from '../../engine/read/object-json-fragments.js';
import { stringifyListWithPauses, mapWithEventLoopPauses } from '../../engine/write/map-with-event-loop-pauses.js';
import { inventoryErrors } from '../../errors.js';
import { getRequestPathAndQuery, getRequestUrlBase } from '../../http/request-urls.js';
import { INVENTORY_CONTEXT, type InventoryContext } from '../../http/inventory-context.js';
import { sendJsonText, sendJsonValue } from '../../http/send-response.js';
import { customFieldChoiceSetModel, getChoicePairs } from '../../models/extras/custom-field-choice-set.js';

type CustomFieldChoicesRequest = FastifyRequest<{ Params: { id: string } }> & AuthenticatedRequest<InventoryActor>;

/**
 * Endpoint `GET /api/extras/custom-field-choice-sets/<id>/choices/`, which lists a page of a choice set's choices. The
 * parameter `q` filters the choices.
 */
@Controller('api/extras/custom-field-choice-sets/:id/choices')
export class CustomFieldChoicesController {
  readonly #paging: ListPagingParser;

  constructor(@Inject(INVENTORY_CONTEXT) private readonly parts: InventoryContext) {
    this.#paging = new ListPagingParser(parts.pageSizes);
  }

  /** Responds with a page of the choices of a choice set. */
  @All()
  async listCustomFieldChoices(@Req() request: CustomFieldChoicesRequest, @Res() reply: FastifyReply): Promise<void> {
    const { method } = request;
    if (method === 'OPTIONS') return sendJsonValue(request, reply, createPathOptionsResponse('Choices'));
    if (method !== 'GET' && method !== 'HEAD')
      throw inventoryErrors.create('METHOD_NOT_ALLOWED', { params: { method } });
    const { path, query } = getRequestPathAndQuery(request);
    const requested = (query.get('q') ?? '').toLowerCase();
    const choices = await this.#choicesOf(request);
    const matches = await mapWithEventLoopPauses(choices, ([value, label]) =>
      `${value}\n${label}`.toLowerCase().includes(requested),
    );
    const all = choices.filter((_choice, index) => matches[index]);
    const page = this.#paging.parsePagingParameters(query);
    const { shown, frame } = paginateList(`${getRequestUrlBase(request)}${path}?${query.toString()}`, page, all);
    const results = await stringifyListWithPauses(shown.map(([id, display]) => ({ id, display })));
    const head = JSON.stringify(frame).slice(0, -1);
    sendJsonText(request, reply, { status: 200, body: `${head},"results":${results}}`, headers: {} });
  }

  async #choicesOf(request: CustomFieldChoicesRequest): Promise<readonly (readonly [value: string, label: string])[]> {
    const actor = getRequestActor(request) ?? actorWithoutCredentials;
    const { database, shapes, policy } = this.parts;
    const model = customFieldChoiceSetModel;
    const grant = policy.getGrant(actor, model, 'view');
    if (grant === null) throw inventoryErrors.create('PERMISSION_DENIED');
    const { id } = request.params;
    if (!/^\d{1,18}$/.test(id)) throw inventoryErrors.create('NOT_FOUND');
    const selection = { ...allFieldsSelection, fields: ['base_choices', 'extra_choices', 'order_alphabetically'] };
    const { body } = await readObject(database, shapes, { model, id, grant, selection, base: '' });
    const set = Object(JSON.parse(body));
    // A set may have 100,000 choices, so that other requests run between the steps.
    await nextRound();
    const base = set.base_choices === null ? null : await loadCodeListChoices(String(set.base_choices.value));
    const choices = [...(base?.choices ?? []), ...getChoicePairs(set.extra_choices)];
    await nextRound();
    return set.order_alphabetically === true ? choices.toSorted(([a], [b]) => (a < b ? -1 : 1)) : choices;
  }
}
