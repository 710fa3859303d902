import { getRequestActor, type AuthenticatedRequest } from '@switchboard/nest';
import { All, Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { actorWithoutCredentials } from '../../auth/anonymous-actor.js';
import { type PermissionGrant, type InventoryActor, createViewCondition } from '../../engine/object-access.js';
import type { ModelDefinition } from '../../engine/declaration/define-model.js';
import { ModelRegistry } from '../../engine/declaration/model-registry.js';
import { createPathOptionsResponse } from '../../engine/meta/options-response.js';
import { readObject } from '../../engine/read/object-reader.js';
import { allFieldsSelection } from '../../engine/read/object-json-fragments.js';
import { SqlParameters } from '../../engine/sql/parameterized-statement.js';
import { inventoryErrors } from '../../errors.js';
import { getRequestPathAndQuery, getRequestUrlBase } from '../../http/request-urls.js';
import { INVENTORY_CONTEXT, type InventoryContext } from '../../http/inventory-context.js';
import { sendJsonText, sendJsonValue } from '../../http/send-response.js';

type ConnectedDeviceRequest = FastifyRequest & AuthenticatedRequest<InventoryActor>;

/** Endpoint `GET /api/dcim/connected-device/`: the device at the other end of an interface's cable path. */
@Controller('api/dcim/connected-device')
export class ConnectedDeviceController {
  constructor(
    @Inject(INVENTORY_CONTEXT) private readonly parts: InventoryContext,
    @Inject(ModelRegistry) private readonly registry: ModelRegistry,
  ) {}

  /** Responds with the device that is connected with the interface that the query parameters name. */
  @All()
  async respondWithConnectedDevice(@Req() request: ConnectedDeviceRequest, @Res() reply: FastifyReply): Promise<void> {
    const { method } = request;
    if (method === 'OPTIONS') return sendJsonValue(request, reply, createPathOptionsResponse('Connected Device'));
    if (method !== 'GET' && method !== 'HEAD')
      throw inventoryErrors.create('METHOD_NOT_ALLOWED', { params: { method } });
    const { query } = getRequestPathAndQuery(request);
    const [device, name] = [query.get('peer_device') ?? '', query.get('peer_interface') ?? ''];
    if (device === '' || name === '') throw inventoryErrors.create('CONNECTED_DEVICE_PARAMETERS');
    const actor = getRequestActor(request) ?? actorWithoutCredentials;
    const model = this.#model('dcim.device');
    const grant = this.#deviceGrant(actor, model);
    const id = String(await this.#findConnectedDevice(actor, device, name));
    const { database, shapes } = this.parts;
    const found = await readObject(database, shapes, {
      model,
      id,
      grant,
      selection: allFieldsSelection,
      base: getRequestUrlBase(request),
    });
    const headers = found.entityTag === null ? {} : { etag: found.entityTag };
    sendJsonText(request, reply, { status: 200, body: found.body, headers });
  }

  /**
   * Returns the id of the device at the other end of an interface's cable path, or 0 if no device is connected.
   *
   * @throws ApplicationError OBJECT_NOT_FOUND for a device or interface that the actor cannot see; VALIDATION_FAILED if several
   * devices have the name
   */
  async #findConnectedDevice(actor: InventoryActor, device: string, name: string): Promise<number> {
    const parameters = new SqlParameters();
    const [deviceName, interfaceName] = [parameters.add(device), parameters.add(name)];
    const visible = (type: string, alias: string): string =>
      ` AND ${createViewCondition(this.parts.policy, actor, this.#model(type), { alias, parameters })}`;
    const { rows } = await this.parts.database.query<{ interface: number | null; device: number | null }>(
      `SELECT i.id AS interface, (SELECT e.device_id FROM dcim_cablepathnode o
          JOIN dcim_cablepathnode d ON d.path_id = o.path_id AND d.is_destination AND d.object_type = 'dcim.interface'
          JOIN dcim_interface e ON e.id = d.object_id
          WHERE o.object_type = 'dcim.interface' AND o.object_id = i.id AND o.is_origin ORDER BY d.place LIMIT 1) AS device
        FROM dcim_device t LEFT JOIN dcim_interface i ON i.device_id = t.id AND i.name = ${interfaceName}${visible('dcim.interface', 'i')}
        WHERE t.name = ${deviceName}${visible('dcim.device', 't')} LIMIT 2`,
      parameters.values,
    );
    const [row] = rows;
    if (row === undefined) throw inventoryErrors.create('OBJECT_NOT_FOUND', { params: { model: 'Device' } });
    if (rows.length > 1) {
      throw inventoryErrors.create('VALIDATION_FAILED', {
        fields: { body: { peer_device: ['More than one device has this name.'] } },
      });
    }
    if (row.interface === null) throw inventoryErrors.create('OBJECT_NOT_FOUND', { params: { model: 'Interface' } });
    if (row.device === null) throw inventoryErrors.create('NOT_FOUND');
    return row.device;
  }

  /**
   * Returns the objects of a model that the user may view. @throws ApplicationError NOT_AUTHENTICATED if the user is anonymous,
   * OBJECT_NOT_FOUND if the user may view no objects of the model
   */
  #deviceGrant(actor: InventoryActor, model: ModelDefinition): PermissionGrant {
    const grant = this.parts.policy.getGrant(actor, model, 'view');
    if (grant !== null) return grant;
    if (actor.kind === 'anonymous') throw inventoryErrors.create('NOT_AUTHENTICATED');
    throw inventoryErrors.create('OBJECT_NOT_FOUND', { params: { model: model.objectName } });
  }

  #model(type: string): ModelDefinition {
    const model = this.registry.find(type);
    if (model === null) throw inventoryErrors.create('NOT_FOUND');
    return model;
  }
}
