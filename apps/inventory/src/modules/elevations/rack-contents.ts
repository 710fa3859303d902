import { type InventoryActor, viewCondition } from '../../engine/access.js';
import type { Registry } from '../../engine/declaration/registry.js';
import { nestedObject } from '../../engine/read/representation.js';
import { statementScope } from '../../engine/read/scope.js';
import { assemble, type Sql } from '../../engine/sql/pieces.js';
import { Parameters } from '../../engine/sql/statement.js';
import { errors } from '../../errors.js';
import type { InventoryContext } from '../../http/inventory-context.js';
import { device } from '../../models/dcim/device.js';
import { deviceName } from '../../models/dcim/device-name.js';
import { rack } from '../../models/dcim/rack.js';
import type { Face } from './elevation-parameters.js';
import type { MountedDevice, NumberedRack } from './rack-units.js';

/** Request of the contents of one face of a rack. */
export interface RackContentsRequest {
  readonly actor: InventoryActor;
  readonly id: string;
  readonly face: Face;
  /** Scheme and host of URLs in the response. */
  readonly base: string;
  /** Id of a device to leave out. */
  readonly exclude: number | null;
}

/** A rack and the devices that one of its faces shows. */
export interface RackContents {
  readonly rack: NumberedRack;
  readonly devices: readonly MountedDevice[];
}

/** Reads racks with their devices, one statement for each request. */
export class RackContentsReader {
  /** JSON expression of a device with the alias `d` as nested object. */
  readonly #nestedDevice: Sql;

  constructor(
    private readonly parts: Pick<InventoryContext, 'database' | 'policy'>,
    registry: Registry,
  ) {
    this.#nestedDevice = assemble(nestedObject(device, 'd', statementScope(registry, 'n')));
  }

  /**
   * Reads a rack with the devices on a face. Devices of full depth are on both.
   *
   * @throws AppError OBJECT_NOT_FOUND if the user may not view the rack; PERMISSION_DENIED or NOT_AUTHENTICATED if the
   * user may view none
   */
  async read(request: RackContentsRequest): Promise<RackContents> {
    const { database, policy } = this.parts;
    const { actor, id, face, base, exclude } = request;
    const parameters = new Parameters();
    parameters.add(base);
    const visible = viewCondition(policy, actor, device, { alias: 'd', parameters });
    const shown = `json_build_object('object', ${this.#nestedDevice}, 'display', to_json(${deviceName('d')})::text)`;
    const devices = `SELECT json_agg(json_build_object('position', d.position, 'height', t.u_height,
        'shown', CASE WHEN ${visible} THEN ${shown} END))
      FROM dcim_device d JOIN dcim_devicetype t ON t.id = d.device_type_id
      WHERE d.rack_id = r.id AND d.position IS NOT NULL AND t.u_height > 0
        AND (d.face = ${parameters.add(face, 'text')} OR t.is_full_depth)
        AND d.id IS DISTINCT FROM ${parameters.add(exclude, 'bigint')}`;
    const { rows } = await database.query<RackContents>(
      `SELECT json_build_object('height', r.u_height, 'startingUnit', r.starting_unit, 'descending', r.desc_units) AS rack,
        coalesce((${devices}), '[]') AS devices
      FROM dcim_rack r
      WHERE $1::text IS NOT NULL AND r.id = ${parameters.add(id, 'bigint')} AND ${this.#viewable(actor, parameters)}`,
      parameters.values,
    );
    const [contents] = rows;
    if (contents === undefined) throw errors.create('OBJECT_NOT_FOUND', { params: { model: rack.objectName } });
    return contents;
  }

  /** Returns the condition that the user may view the rack with the alias `r`. */
  #viewable(actor: InventoryActor, parameters: Parameters): Sql {
    if (this.parts.policy.grant(actor, rack, 'view') === null) {
      throw errors.create(actor.kind === 'anonymous' ? 'NOT_AUTHENTICATED' : 'PERMISSION_DENIED');
    }
    return viewCondition(this.parts.policy, actor, rack, { alias: 'r', parameters });
  }
}
