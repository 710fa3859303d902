/**
 * Server that `npm run bench -- inventory-network` compares with cable path traces of the inventory service. It runs
 * one prepared recursive statement and returns the same bytes. The statement starts at an interface and follows cables
 * and ports with one position. It has no authentication and no permissions.
 */
import Fastify from 'fastify';
import pg from 'pg';

const { DATABASE_URL = '', PORT = '0' } = process.env;
const baselineDatabasePool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 });
const baselineServer = Fastify({ logger: false });

/** API paths of inventory models by model type, for example `interfaces` for `dcim.interface`. */
const apiPathByModel = {
  'dcim.interface': 'interfaces',
  'dcim.frontport': 'front-ports',
  'dcim.rearport': 'rear-ports',
};

/**
 * Returns the SQL expression of a nested object in a response. The parameters name the columns that contain the
 * object's type and the object's id.
 */
function createNestedObjectSql(type: string, id: string): string {
  const cases = Object.entries(apiPathByModel).map(
    ([
      model,
      path,
    ]) => `WHEN '${model}' THEN (SELECT json_build_object('id', o.id, 'url', $2::text || '/api/dcim/${path}/' || o.id || '/',
      'display', o.name, 'device', json_build_object('id', d.id, 'url', $2::text || '/api/dcim/devices/' || d.id || '/',
      'display', d.name, 'name', d.name, 'description', d.description), 'name', o.name, 'description', o.description,
      'cable', json_build_object('id', c.id, 'url', $2::text || '/api/dcim/cables/' || c.id || '/', 'display', '#' || c.id,
      'label', c.label, 'description', c.description), '_occupied', true)
      FROM ${model.replace('.', '_')} o JOIN dcim_device d ON d.id = o.device_id JOIN dcim_cable c ON c.id = o.cable_id WHERE o.id = ${id})`,
  );
  return `CASE ${type} ${cases.join(' ')} END`;
}

const CABLE_TRACE_SQL = `WITH RECURSIVE hop AS (
    SELECT 1 AS n, near.termination_type::text AS near_type, near.termination_id AS near_id, near.cable_id,
      far.termination_type::text AS far_type, far.termination_id AS far_id
    FROM dcim_cabletermination near JOIN dcim_cabletermination far ON far.cable_id = near.cable_id AND far.cable_end <> near.cable_end
    WHERE near.termination_type = 'dcim.interface' AND near.termination_id = $1::bigint
    UNION ALL
    SELECT h.n + 1, m.type, m.id, near.cable_id, far.termination_type::text, far.termination_id
    FROM hop h, LATERAL (SELECT 'dcim.rearport' AS type, p.rear_port_id AS id FROM dcim_portmapping p
        WHERE h.far_type = 'dcim.frontport' AND p.front_port_id = h.far_id
      UNION ALL SELECT 'dcim.frontport', p.front_port_id FROM dcim_portmapping p
        WHERE h.far_type = 'dcim.rearport' AND p.rear_port_id = h.far_id) m
      JOIN dcim_cabletermination near ON near.termination_type = m.type AND near.termination_id = m.id
      JOIN dcim_cabletermination far ON far.cable_id = near.cable_id AND far.cable_end <> near.cable_end)
  SELECT json_agg(json_build_array(json_build_array(${createNestedObjectSql('h.near_type', 'h.near_id')}),
    json_build_object('id', c.id, 'url', $2::text || '/api/dcim/cables/' || c.id || '/', 'display_url', $2::text || '/dcim/cables/' || c.id || '/',
      'type', c.type, 'status', c.status, 'label', c.label, 'color', c.color, 'length', c.length, 'length_unit', c.length_unit,
      'description', c.description),
    json_build_array(${createNestedObjectSql('h.far_type', 'h.far_id')})) ORDER BY h.n)::text AS trace
  FROM hop h JOIN dcim_cable c ON c.id = h.cable_id`;

baselineServer.get('/health/ready', () => ({ status: 'ok' }));

baselineServer.get<{ Params: { id: string } }>('/api/dcim/interfaces/:id/trace/', async (request, reply) => {
  const values = [request.params.id, `${request.protocol}://${request.host}`];
  const { rows } = await baselineDatabasePool.query<{ trace: string }>({
    name: 'trace',
    text: CABLE_TRACE_SQL,
    values,
  });
  void reply.type('application/json');
  return rows[0]?.trace ?? '[]';
});

await baselineServer.listen({ host: '127.0.0.1', port: Number(PORT) });
process.once('SIGTERM', () => process.exit(0));
