import { All, Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { createPathOptionsResponse } from '../../engine/meta/options-response.js';
import { inventoryErrors } from '../../errors.js';
import { parseRequestBody } from '../../http/request-body.js';
import { INVENTORY_CONTEXT, type InventoryContext } from '../../http/inventory-context.js';
import { sendJsonText, sendJsonValue } from '../../http/send-response.js';
import { parseJsonObjectBody } from './parse-json-object-body.js';
import { DashboardStore } from './dashboard-store.js';
import { type OwnDataRequest, requireAuthenticatedUser } from './require-authenticated-user.js';

const createFieldMetadata = (label: string) => ({ type: 'field', required: false, read_only: false, label });
const dashboardActionsMetadata = {
  PUT: { layout: createFieldMetadata('Layout'), config: createFieldMetadata('Config') },
};
const noContentResponse = { status: 204, body: null, headers: {} };

/** Endpoint `/api/extras/dashboard/` for the dashboard of the requesting user (docs/contract/inventory.md 2.4). */
@Controller('api/extras/dashboard')
export class DashboardController {
  readonly #dashboards: DashboardStore;

  constructor(@Inject(INVENTORY_CONTEXT) { database }: InventoryContext) {
    this.#dashboards = new DashboardStore(database);
  }

  /** Handles requests that read, change or delete the user's dashboard. */
  @All()
  async readOrChangeDashboard(@Req() request: OwnDataRequest, @Res() reply: FastifyReply): Promise<void> {
    const { method } = request;
    if (method === 'OPTIONS')
      return sendJsonValue(
        request,
        reply,
        createPathOptionsResponse('Dashboard', { actions: dashboardActionsMetadata }),
      );
    const actor = requireAuthenticatedUser(request);
    if (method === 'GET' || method === 'HEAD') return sendJsonValue(request, reply, await this.#dashboards.get(actor));
    if (method === 'PUT' || method === 'PATCH') {
      return sendJsonValue(
        request,
        reply,
        await this.#dashboards.update(actor, parseJsonObjectBody(await parseRequestBody(request.body))),
      );
    }
    if (method !== 'DELETE') throw inventoryErrors.create('METHOD_NOT_ALLOWED', { params: { method } });
    await this.#dashboards.remove(actor);
    sendJsonText(request, reply, noContentResponse);
  }
}
