import type { SqlStatementExecutor } from '@switchboard/database';
import type { CablePathDrawingOptions, CablePathDrawingHop } from '../../drawings/trace-drawing.js';

type CableTraceDetails = NonNullable<CablePathDrawingOptions['details']>;

const deviceDetailsStatement = `SELECT d.id, o.color,
    ARRAY[concat(m.name, ' ', t.model), concat_ws(' / ', s.name, l.name, r.name)] AS lines
  FROM dcim_device d JOIN dcim_devicetype t ON t.id = d.device_type_id JOIN dcim_manufacturer m ON m.id = t.manufacturer_id
    JOIN dcim_site s ON s.id = d.site_id JOIN dcim_devicerole o ON o.id = d.role_id
    LEFT JOIN dcim_location l ON l.id = d.location_id LEFT JOIN dcim_rack r ON r.id = d.rack_id
  WHERE d.id = ANY ($1::bigint[])`;

/**
 * Reads, in one SQL statement, the details that a drawing of a cable trace shows of devices: device type, site and role
 * color.
 */
export async function readCableTraceDetails(
  database: SqlStatementExecutor,
  hops: readonly CablePathDrawingHop[],
): Promise<CableTraceDetails> {
  const urls = new Map(
    hops
      .flatMap(([near, , far]) => [...near, ...far])
      .flatMap(({ device }) => (device === undefined ? [] : [[parseObjectIdInUrl(device.url), device.url] as const])),
  );
  const { rows } = await database.query<{ id: number; color: string; lines: string[] }>(deviceDetailsStatement, [
    [...urls.keys()],
  ]);
  return new Map(rows.map(({ id, color, lines }) => [urls.get(id) ?? '', { lines, color }]));
}

function parseObjectIdInUrl(url: string): number {
  return Number(/(?<id>\d+)\/$/u.exec(url)?.groups?.['id']);
}
