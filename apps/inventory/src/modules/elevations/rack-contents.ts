import { type ObjectAccessPolicy, type InventoryActor, createViewCondition } from '../../engine/object-access.js';
import type { ModelDefinition } from '../../engine/declaration/define-model.js';
import type { ModelRegistry } from '../../engine/declaration/model-registry.js';
import { createNestedObjectFragments, createObjectJsonFragments } from '../../engine/read/object-json-fragments.js';
import { createStatementScope } from '../../engine/read/sql-statement-scope.js';
import { joinJsonFragmentsIntoSql, type SqlText } from '../../engine/sql/json-text-sql.js';
import { SqlParameters } from '../../engine/sql/parameterized-statement.js';
import { inventoryErrors } from '../../errors.js';
import { deviceModel } from '../../models/dcim/device.js';
import { createDeviceNameSql } from '../../models/dcim/device-name.js';
import { rackModel } from '../../models/dcim/rack.js';
import { rackReservationModel } from '../../models/dcim/rack-reservation.js';
import type { ReadOnlyResponseDatabase } from '../../response-memory/index.js';
import type { DrawnRack, DrawnReservation } from '../../drawings/rack-drawing.js';
import { drawnDeviceFields, type DeviceInRack } from './drawn-devices.js';
import type { RackFace } from './elevation-parameters.js';
import type { MountedDevice, NumberedRack } from './rack-units.js';

/** Request that reads the devices on one face of a rack. */
export interface RackContentsRequest {
  readonly actor: InventoryActor;
  readonly id: string;
  readonly face: RackFace;
  /** Scheme and host with which URLs in the response begin. */
  readonly base: string;
}

/** A rack, with the devices that are visible on one of its faces. */
export interface RackContents {
  readonly rack: NumberedRack;
  readonly devices: readonly MountedDevice[];
}

/** A rack, with all data for a drawing of one of its faces. */
export interface RackDrawingContents {
  readonly rack: DrawnRack;
  readonly devices: readonly DeviceInRack[];
  readonly reservations: readonly DrawnReservation[];
}

/** Reads racks with their devices. Each request runs one SQL statement. */
export class RackContentsReader {
  /** SQL expression of the JSON of a device `d` in nested form, as a rack unit shows the device. */
  readonly #nestedDevice: SqlText;
  readonly #drawnDevice: SqlText;

  constructor(
    registry: ModelRegistry,
    private readonly policy: ObjectAccessPolicy,
  ) {
    this.#nestedDevice = joinJsonFragmentsIntoSql(
      createNestedObjectFragments(deviceModel, 'd', createStatementScope(registry, 'n')),
    );
    this.#drawnDevice = joinJsonFragmentsIntoSql(
      createObjectJsonFragments(deviceModel, drawnDeviceFields, 'd', createStatementScope(registry, 'n')),
    );
  }

  /**
   * Reads a rack with the devices on one face of the rack. A device that has the full depth of the rack is on both
   * faces.
   *
   * @param exclude id of a device to omit
   * @throws ApplicationError OBJECT_NOT_FOUND if the user may not view the rack
   */
  readRackContents(
    database: ReadOnlyResponseDatabase,
    request: RackContentsRequest,
    exclude: number | null,
  ): Promise<RackContents> {
    const shown = `json_build_object('object', ${this.#nestedDevice}, 'display', to_json(${createDeviceNameSql('d')})::text)`;
    return this.#readRackValues<RackContents>(database, request, (parameters) => {
      const others = `d.id IS DISTINCT FROM ${parameters.add(exclude, 'bigint')}`;
      return {
        rack: `json_build_object('height', r.u_height, 'startingUnit', r.starting_unit, 'descending', r.desc_units)`,
        devices: `(${this.#devicesOnFaceSql(request, shown, parameters)} AND ${others})`,
      };
    });
  }

  /** Reads a rack with all data for a drawing of one face of the rack. Throws the same errors as {@link readRackContents}. */
  readRackDrawingContents(
    database: ReadOnlyResponseDatabase,
    request: RackContentsRequest,
  ): Promise<RackDrawingContents> {
    const shown = `json_build_object('attributes', (${this.#drawnDevice})::json, 'face', d.face,
      'color', (SELECT o.color FROM dcim_devicerole o WHERE o.id = d.role_id),
      'frontImage', t.front_image, 'rearImage', t.rear_image,
      'bays', (SELECT count(*) FROM dcim_devicebay b WHERE b.device_id = d.id),
      'children', (SELECT count(b.installed_device_id) FROM dcim_devicebay b WHERE b.device_id = d.id))`;
    return this.#readRackValues<RackDrawingContents>(database, request, (parameters) => ({
      rack: `json_build_object('id', r.id, 'height', r.u_height, 'startingUnit', r.starting_unit,
        'descending', r.desc_units, 'site', r.site_id, 'location', r.location_id)`,
      devices: `(${this.#devicesOnFaceSql(request, shown, parameters)})`,
      reservations: `(SELECT json_agg(json_build_object('units', v.units,
          'shown', CASE WHEN ${this.#visibleCondition(request, rackReservationModel, { alias: 'v', parameters })}
            THEN json_build_object('id', v.id, 'description', v.description) END) ORDER BY v.created, v.id)
        FROM dcim_rackreservation v WHERE v.rack_id = r.id)`,
    }));
  }

  /**
   * Returns the SQL query for the devices on one face of the rack `r`. Further conditions can be appended to the query.
   */
  #devicesOnFaceSql(request: RackContentsRequest, shown: SqlText, parameters: SqlParameters): SqlText {
    const visible = this.#visibleCondition(request, deviceModel, { alias: 'd', parameters });
    return `SELECT json_agg(json_build_object('position', d.position, 'height', t.u_height,
        'shown', CASE WHEN ${visible} THEN ${shown} END))
      FROM dcim_device d JOIN dcim_devicetype t ON t.id = d.device_type_id
      WHERE d.rack_id = r.id AND d.position IS NOT NULL AND t.u_height > 0
        AND (d.face = ${parameters.add(request.face, 'text')} OR t.is_full_depth)`;
  }

  /**
   * Reads several JSON values about one rack. The values are given as SQL expressions in which the rack has the alias
   * `r`. A null value is replaced with an empty list.
   */
  async #readRackValues<Contents extends object>(
    database: ReadOnlyResponseDatabase,
    { actor, id, base }: RackContentsRequest,
    valuesOf: (parameters: SqlParameters) => Readonly<Record<keyof Contents, SqlText>>,
  ): Promise<Contents> {
    const { policy } = this;
    const parameters = new SqlParameters();
    parameters.add(base);
    const values = Object.entries<SqlText>(valuesOf(parameters));
    const columns = values.map(([name, value]) => `coalesce(${value}, '[]') AS ${name}`);
    const { rows } = await database.query<Contents>(
      `SELECT ${columns.join(', ')} FROM dcim_rack r WHERE $1::text IS NOT NULL
        AND r.id = ${parameters.add(id, 'bigint')}
        AND ${createViewCondition(policy, actor, rackModel, { alias: 'r', parameters })}`,
      parameters.values,
    );
    const [contents] = rows;
    if (contents === undefined)
      throw inventoryErrors.create('OBJECT_NOT_FOUND', { params: { model: rackModel.objectName } });
    return contents;
  }

  #visibleCondition(
    { actor }: RackContentsRequest,
    model: ModelDefinition,
    place: { readonly alias: string; readonly parameters: SqlParameters },
  ): SqlText {
    return createViewCondition(this.policy, actor, model, place);
  }
}
