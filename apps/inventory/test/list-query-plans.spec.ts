import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInventory, type TestInventory } from './support/test-service.js';
import { statementsOf } from './support/record-list-statements.js';

/** Number of devices in the test database. There are as many interfaces, addresses and prefixes. */
const rows = 5_000;

/** SQL statements that fill the tables with rows. The values that the tests search for occur rarely. */
const seed = [
  `INSERT INTO extras_tag (name, slug) VALUES ('Scarce', 'scarce'), ('Common', 'common')`,
  // Custom field values are stored under the ids of pairs of field and model: #1, #2 and #3.
  `INSERT INTO extras_customfield (name, type, object_types, filter_logic)
   VALUES ('code', 'text', '{dcim.device,ipam.prefix,ipam.ipaddress}', 'exact')`,
  'INSERT INTO extras_customfield_pair (custom_field_id, object_type) SELECT id, unnest(object_types) FROM extras_customfield',
  `INSERT INTO dcim_manufacturer (name, slug) VALUES ('Maker', 'maker')`,
  `INSERT INTO dcim_devicetype (manufacturer_id, model, slug, u_height) VALUES (1, 'Model', 'model', 1)`,
  `INSERT INTO dcim_devicerole (name, slug) VALUES ('Role', 'role')`,
  `INSERT INTO dcim_site (name, slug) SELECT 'Site ' || n, 'site-' || n FROM generate_series(1, 200) n`,
  `INSERT INTO dcim_location (name, slug, site_id) SELECT 'Location ' || n, 'location-' || n, n % 200 + 1 FROM generate_series(1, $1::int) n`,
  `INSERT INTO dcim_device (name, device_type_id, role_id, site_id, status, serial, comments, custom_field_data)
   SELECT 'device-' || n, 1, 1, n % 200 + 1, CASE WHEN n % 250 = 0 THEN 'failed' ELSE 'active' END, md5(n::text),
     CASE WHEN n = 77 THEN 'holds the needle' ELSE '' END, jsonb_build_object('#1', 'code-' || n % 500)
   FROM generate_series(1, $1::int) n`,
  `INSERT INTO dcim_interface (device_id, _device_name, name, _order, type, description)
   SELECT n, 'device-' || n, 'eth0', 'eth0', '1000base-t', CASE WHEN n = 77 THEN 'holds the needle' ELSE '' END
   FROM generate_series(1, $1::int) n`,
  `INSERT INTO ipam_prefix (prefix, status, scope_type, scope_id, description, custom_field_data)
   SELECT set_masklen(inet '10.0.0.0' + n::bigint * 256, 24)::cidr, CASE WHEN n % 250 = 0 THEN 'reserved' ELSE 'active' END,
     'dcim.site', n % 200 + 1, CASE WHEN n = 77 THEN 'holds the needle' ELSE '' END,
     jsonb_build_object('#2', 'code-' || n % 500)
   FROM generate_series(1, $1::int) n`,
  `INSERT INTO ipam_ipaddress (address, status, dns_name, custom_field_data)
   SELECT set_masklen(inet '10.0.0.1' + n::bigint * 256, 24), CASE WHEN n % 250 = 0 THEN 'reserved' ELSE 'active' END,
     CASE WHEN n = 77 THEN 'needle' ELSE 'host-' || n END || '.example.com', jsonb_build_object('#3', 'code-' || n % 500)
   FROM generate_series(1, $1::int) n`,
  `INSERT INTO dcim_consoleport (device_id, name, description)
   SELECT n, 'con0', CASE WHEN n = 77 THEN 'holds the needle' ELSE '' END FROM generate_series(1, $1::int) n`,
  `INSERT INTO dcim_module (device_id, module_bay_id, module_type_id) SELECT n, n, 1 FROM generate_series(1, $1::int) n`,
  `INSERT INTO dcim_powerpanel (name, site_id) SELECT 'Panel ' || n, n FROM generate_series(1, 200) n`,
  `INSERT INTO dcim_powerfeed (name, power_panel_id) SELECT 'Feed ' || n, n % 200 + 1 FROM generate_series(1, $1::int) n`,
  `INSERT INTO webhook_deliveries (id, event, object_type, object_id, payload, action_type, status)
   SELECT gen_random_uuid(), 'object_created', 'dcim.device', n, '{}', 'webhook', 'succeeded' FROM generate_series(1, $1::int) n`,
  `INSERT INTO ipam_vlan (vid, name, description)
   SELECT n % 1000 + 1, 'vlan-' || n, CASE WHEN n = 77 THEN 'holds the needle' ELSE '' END FROM generate_series(1, $1::int) n`,
  `INSERT INTO core_datafile (source_id, path, size, data) SELECT 1, 'file-' || n, 0, '' FROM generate_series(1, $1::int) n`,
  `INSERT INTO extras_journalentry (assigned_object_type, assigned_object_id, comments)
   SELECT 'dcim.device', n, CASE WHEN n = 77 THEN 'holds the needle' ELSE 'note' END FROM generate_series(1, $1::int) n`,
  `INSERT INTO core_objectchange (user_name, request_id, action, changed_object_type, changed_object_id, object_repr, message)
   SELECT 'writer', gen_random_uuid(), 'create', 'dcim.device', n, 'device-' || n, CASE WHEN n = 77 THEN 'holds the needle' ELSE '' END
   FROM generate_series(1, $1::int) n`,
  `INSERT INTO extras_taggeditem (object_type, object_id, tag_id)
   SELECT type, n, tag.id FROM extras_tag tag, generate_series(1, $1::int) n,
     unnest(ARRAY['dcim.device', 'dcim.interface', 'ipam.prefix', 'ipam.ipaddress']) type
   WHERE tag.slug = 'common' OR n % 250 = 0`,
];

let test: TestInventory;
beforeAll(async () => {
  // Responses are not cached, so that every request runs its statements.
  test = await startInventory({ RESPONSE_MEMORY_BYTES: '0' });
  const { database } = test.inventory;
  await database.inTransaction(async (tx) => {
    // Triggers are disabled, because they would take most of the time and are not tested here.
    await tx.query('SET LOCAL session_replication_role = replica');
    for (const statement of seed) await tx.query(statement, statement.includes('$1') ? [rows] : []);
    // A page in the second half is read from the end of the list, which needs the stored count.
    await tx.query(`INSERT INTO row_counts (model, slot, n) VALUES ('dcim.interface', 0, $1)`, [rows]);
  });
  await database.query(
    `ANALYZE dcim_device, dcim_location, dcim_interface, dcim_site, dcim_consoleport, ipam_prefix, ipam_ipaddress,
      dcim_module, dcim_powerpanel, dcim_powerfeed, ipam_vlan, webhook_deliveries, core_objecttype,
      circuits_circuit, circuits_circuittermination, core_datafile, extras_journalentry, extras_taggeditem, core_objectchange`,
  );
  // The planner prefers other indexes to a GIN index with pending entries, which autovacuum moves at an unknown time.
  await database.query(
    `SELECT gin_clean_pending_list(c.oid) FROM pg_class c JOIN pg_am a ON a.oid = c.relam
      WHERE a.amname = 'gin' AND c.relkind = 'i' AND c.relnamespace = 'public'::regnamespace`,
  );
});
afterAll(() => test.close());

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Recheck Cond'?: string;
  readonly Plans?: readonly PlanNode[];
}

/**
 * Returns the nodes of a query plan, except nodes below a LIMIT node. Below a LIMIT, reading the table in list order
 * can be the right plan.
 */
function nodesOf(node: PlanNode): PlanNode[] {
  return node['Node Type'] === 'Limit' ? [] : [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

/**
 * Returns the number of objects in a list. Also returns the types of the query plan's nodes that scan the table without
 * an index condition.
 */
async function readBy(path: string, table: string): Promise<{ readonly count: number; readonly walks: string[] }> {
  const { pool } = test.inventory.database;
  const { count, choosing } = await statementsOf(test, path);
  const { planned, text, values } = choosing;
  // A search is planned for each text, because its plan depends on the text.
  expect([path, planned]).toEqual([path, path.includes('?q=') ? 'each time' : undefined]);
  const client = await pool.connect();
  try {
    // PostgreSQL would read tables of this size completely even with indexes. With this setting it does so only without
    // an alternative.
    await client.query('SET enable_seqscan = off');
    const { rows: plans } = await client.query(`EXPLAIN (FORMAT JSON) ${text}`, values);
    const nodes = nodesOf(plans[0]['QUERY PLAN'][0].Plan).filter((node) => node['Relation Name'] === table);
    const walks = nodes.filter((node) => node['Index Cond'] === undefined && node['Recheck Cond'] === undefined);
    expect(nodes.length).toBeGreaterThan(0);
    return { count, walks: walks.map((node) => node['Node Type']) };
  } finally {
    await client.query('RESET enable_seqscan');
    client.release();
  }
}

describe('GET of a filtered list', () => {
  it.each([
    ['dcim/devices/?site=site-7', 'dcim_device', 25],
    ['dcim/devices/?status=failed', 'dcim_device', 20],
    ['dcim/devices/?tag=scarce', 'dcim_device', 20],
    ['dcim/devices/?cf_code=code-7', 'dcim_device', 10],
    ['dcim/devices/?q=needle', 'dcim_device', 1],
    ['dcim/devices/?q=device-777', 'dcim_device', 1],
    ['dcim/devices/?q=10.0.7.1', 'dcim_device', 0],
    ['dcim/interfaces/?q=needle', 'dcim_interface', 1],
    ['dcim/console-ports/?q=needle', 'dcim_consoleport', 1],
    ['extras/journal-entries/?q=needle', 'extras_journalentry', 1],
    ['core/object-changes/?q=needle', 'core_objectchange', 1],
    ['core/object-changes/?q=nonesuch', 'core_objectchange', 0],
    ['dcim/racks/?q=nonesuch', 'dcim_rack', 0],
    ['dcim/locations/?q=nonesuch', 'dcim_location', 0],
    ['dcim/module-bays/?q=nonesuch', 'dcim_modulebay', 0],
    ['dcim/device-bays/?q=nonesuch', 'dcim_devicebay', 0],
    ['ipam/services/?q=nonesuch', 'ipam_service', 0],
    ['tenancy/tenants/?q=nonesuch', 'tenancy_tenant', 0],
    ['tenancy/contacts/?q=nonesuch', 'tenancy_contact', 0],
    ['virtualization/virtual-disks/?q=nonesuch', 'virtualization_virtualdisk', 0],
    ['wireless/wireless-lans/?q=nonesuch', 'wireless_wirelesslan', 0],
    ['wireless/wireless-links/?q=nonesuch', 'wireless_wirelesslink', 0],
    ['vpn/tunnels/?q=nonesuch', 'vpn_tunnel', 0],
    ['extras/image-attachments/?q=nonesuch', 'extras_imageattachment', 0],
    ['dcim/modules/?q=nonesuch', 'dcim_module', 0],
    ['dcim/modules/?q=device-777', 'dcim_module', 1],
    ['dcim/power-feeds/?q=nonesuch', 'dcim_powerfeed', 0],
    ['circuits/circuits/?q=nonesuch', 'circuits_circuit', 0],
    ['circuits/circuits/?q=nonesuch', 'circuits_circuittermination', 0],
    ['ipam/vlans/?q=needle', 'ipam_vlan', 1],
    ['ipam/vlans/?q=777', 'ipam_vlan', 10],
    ['ipam/ip-ranges/?q=nonesuch', 'ipam_iprange', 0],
    ['ipam/fhrp-groups/?q=nonesuch', 'ipam_fhrpgroup', 0],
    ['extras/webhook-deliveries/?q=nonesuch', 'webhook_deliveries', 0],
    ['extras/tagged-objects/?q=scarce', 'extras_taggeditem', 80],
    ['extras/tagged-objects/?q=nonesuch', 'extras_taggeditem', 0],
    ['dcim/sites/?q=nonesuch', 'dcim_site', 0],
    ['dcim/sites/?q=site+77', 'dcim_site', 1],
    ['dcim/rack-reservations/?q=nonesuch', 'dcim_rackreservation', 0],
    ['dcim/virtual-device-contexts/?q=nonesuch', 'dcim_virtualdevicecontext', 0],
    ['ipam/vrfs/?q=nonesuch', 'ipam_vrf', 0],
    ['ipam/route-targets/?q=nonesuch', 'ipam_routetarget', 0],
    ['ipam/asns/?q=nonesuch', 'ipam_asn', 0],
    ['ipam/aggregates/?q=nonesuch', 'ipam_aggregate', 0],
    ['virtualization/clusters/?q=nonesuch', 'virtualization_cluster', 0],
    ['circuits/virtual-circuits/?q=nonesuch', 'circuits_virtualcircuit', 0],
    ['core/data-files/?q=nonesuch', 'core_datafile', 0],
    ['core/jobs/?q=nonesuch', 'core_job', 0],
    ['core/jobs/?q=root', 'core_job', 0],
    ['users/users/?q=nonesuch', 'users_user', 0],
    ['dcim/interfaces/?device=device-77', 'dcim_interface', 1],
    ['dcim/interfaces/?tag=scarce', 'dcim_interface', 20],
    ['ipam/ip-addresses/?parent=10.0.7.0/24', 'ipam_ipaddress', 1],
    ['ipam/ip-addresses/?status=reserved', 'ipam_ipaddress', 20],
    ['ipam/ip-addresses/?tag=scarce', 'ipam_ipaddress', 20],
    ['ipam/ip-addresses/?cf_code=code-7', 'ipam_ipaddress', 10],
    ['ipam/ip-addresses/?q=needle', 'ipam_ipaddress', 1],
    ['ipam/ip-addresses/?q=10.0.77.', 'ipam_ipaddress', 1],
    ['ipam/prefixes/?within=10.0.16.0/20', 'ipam_prefix', 16],
    ['ipam/prefixes/?contains=10.0.7.9', 'ipam_prefix', 1],
    ['ipam/prefixes/?site=site-7', 'ipam_prefix', 25],
    ['ipam/prefixes/?status=reserved', 'ipam_prefix', 20],
    ['ipam/prefixes/?tag=scarce', 'ipam_prefix', 20],
    ['ipam/prefixes/?cf_code=code-7', 'ipam_prefix', 10],
    ['ipam/prefixes/?q=needle', 'ipam_prefix', 1],
    ['ipam/prefixes/?depth=0', 'ipam_prefix', rows],
    ['ipam/prefixes/?q=10.0.77.0', 'ipam_prefix', 1],
  ])('scans no large table completely: %s', async (path, table, finds) => {
    expect(await readBy(path, table)).toEqual({ count: finds, walks: [] });
  });
});

describe('GET of a list whose rows refer to objects of many types', () => {
  it.each([
    ['core/object-changes', 'core_objectchange'],
    ['extras/journal-entries', 'extras_journalentry'],
  ])('reads only the tables of object types that occur on the page: %s', async (path, table) => {
    const { reading } = await statementsOf(test, `${path}/?limit=10`);
    const tables = new Set(Array.from(reading.text.matchAll(/(?:FROM|JOIN) (dcim_\w+|ipam_\w+)/g), ([, name]) => name));
    expect([reading.text.includes(table), [...tables]]).toEqual([true, ['dcim_device']]);
  });

  it('shows the objects of all types on a page', async () => {
    const { database } = test.inventory;
    const types = ['dcim.site', 'ipam.prefix', 'dcim.device', 'gone.model', 'dcim.site'];
    await database.query(
      `INSERT INTO core_objectchange (user_name, request_id, action, changed_object_type, changed_object_id, object_repr)
        SELECT 'typed', gen_random_uuid(), 'update', type, 7, type FROM unnest($1::text[]) WITH ORDINALITY AS given (type, n) ORDER BY n`,
      [types],
    );
    const list = '/api/core/object-changes/?user_name=typed&ordering=id';
    const { body } = await test.api.get<{ results: Record<string, unknown>[] }>(list);
    expect(body.results.map((change) => change['changed_object'])).toEqual([
      expect.objectContaining({ id: 7, name: 'Site 7' }),
      expect.objectContaining({ id: 7, prefix: '10.0.7.0/24' }),
      expect.objectContaining({ id: 7, name: 'device-7' }),
      null,
      expect.objectContaining({ id: 7, name: 'Site 7' }),
    ]);
    const few = await test.api.get<{ results: Record<string, unknown>[] }>(`${list}&fields=changed_object`);
    expect(few.body.results).toEqual(body.results.map(({ changed_object }) => ({ changed_object })));
  });
});

describe('GET /api/extras/tagged-objects/', () => {
  it('reads no more rows of a tag than the page has', async () => {
    const { text, values } = (await statementsOf(test, 'extras/tagged-objects/?limit=10')).choosing;
    const { rows: plans } = await test.inventory.database.pool.query(
      `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${text}`,
      values,
    );
    const found = JSON.stringify(plans).matchAll(/"Actual Rows":(\d+)/g);
    // The list has 20,080 rows.
    expect(Math.max(...Array.from(found, ([, count]) => Number(count)))).toBeLessThan(1000);
  });

  it('sorts by tag and id, also near the end or in descending order', async () => {
    const { database } = test.inventory;
    const { rows: counted } = await database.query('SELECT FROM row_counts WHERE model = $1', ['extras.taggeditem']);
    if (counted.length === 0) {
      await database.query(`INSERT INTO row_counts (model, slot, n)
        SELECT 'extras.taggeditem', 0, count(*) FROM extras_taggeditem`);
    }
    const idsBy = async (order: string): Promise<number[]> => {
      const { rows: items } = await database.query<{ id: number }>(
        `SELECT i.id FROM extras_taggeditem i JOIN extras_tag t ON t.id = i.tag_id ORDER BY ${order}, i.id`,
      );
      return items.map(({ id }) => id);
    };
    const list = async (query: string): Promise<number[]> => {
      const { body } = await test.api.get<{ results: { id: number }[] }>(`/api/extras/tagged-objects/?${query}`);
      return body.results.map(({ id }) => id);
    };
    const ascending = await idsBy('t.weight, t.name');
    const descending = await idsBy('t.weight DESC, t.name DESC');
    expect(await list('limit=10')).toEqual(ascending.slice(0, 10));
    expect(await list('limit=10&offset=20000')).toEqual(ascending.slice(20_000, 20_010));
    expect(await list('limit=10&offset=20075')).toEqual(ascending.slice(20_075));
    expect(await list('limit=10&ordering=-tag')).toEqual(descending.slice(0, 10));
    expect(await list('limit=10&ordering=-tag&offset=75')).toEqual(descending.slice(75, 85));
  });
});

describe('page at a large offset of a list of components', () => {
  it.each([
    ['interfaces', 'dcim_interface__device_name_device_id__order_id_idx'],
    ['console-ports', 'dcim_consoleport__device_name_device_id_name_id_idx'],
    ['console-server-ports', 'dcim_consoleserverport__device_name_device_id_name_id_idx'],
    ['power-ports', 'dcim_powerport__device_name_device_id_name_id_idx'],
    ['power-outlets', 'dcim_poweroutlet__device_name_device_id_name_id_idx'],
    ['front-ports', 'dcim_frontport__device_name_device_id_name_id_idx'],
    ['rear-ports', 'dcim_rearport__device_name_device_id_name_id_idx'],
    ['module-bays', 'dcim_modulebay__device_name_device_id_name_id_idx'],
    ['device-bays', 'dcim_devicebay__device_name_device_id_name_id_idx'],
  ])('selects the ids of the page in index order: %s', async (path, index) => {
    const { text, values } = (await statementsOf(test, `dcim/${path}/?limit=50&offset=500`)).choosing;
    const client = await test.inventory.database.pool.connect();
    try {
      // PostgreSQL would sort small tables even with an index.
      await client.query('SET enable_seqscan = off; SET enable_sort = off');
      const { rows: plan } = await client.query(`EXPLAIN ${text}`, values);
      expect(plan.map((line) => line['QUERY PLAN']).join('\n')).toContain(`Index Only Scan using ${index} `);
    } finally {
      await client.query('RESET enable_seqscan; RESET enable_sort');
      client.release();
    }
  });

  it.each([
    ['device', 't.id'],
    ['', 't._order, t.id'],
  ])('returns the same rows as an explicit sort by device name: %s', async (ordering, then) => {
    const { rows: sorted } = await test.inventory.database.pool.query<{ id: string }>(
      `SELECT t.id FROM dcim_interface t JOIN dcim_device d ON d.id = t.device_id ORDER BY d.name, d.id, ${then}`,
    );
    for (const offset of [0, 500, 2480, 4970]) {
      const path = `/api/dcim/interfaces/?brief=true&limit=50&offset=${offset}&ordering=${ordering}`;
      const { body } = await test.api.get<{ results: { id: number }[] }>(path);
      const expected = sorted.slice(offset, offset + 50).map(({ id }) => Number(id));
      expect(body.results.map(({ id }) => id)).toEqual(expected);
    }
  });
});

describe('GET /api/core/object-changes/', () => {
  beforeAll(async () => {
    await test.inventory.database.inTransaction(async (tx) => {
      await tx.query(`DELETE FROM row_counts WHERE model = 'core.objectchange'`);
      await tx.query(
        `INSERT INTO row_counts (model, slot, n) SELECT 'core.objectchange', 0, count(*) FROM core_objectchange`,
      );
    });
  });

  it.each(['', '-time', 'time'])(
    'selects the ids of a far page in index order, without a sort: ordering=%s',
    async (order) => {
      const { text, values } = (await statementsOf(test, `core/object-changes/?limit=50&offset=2000&ordering=${order}`))
        .choosing;
      const client = await test.inventory.database.pool.connect();
      try {
        // PostgreSQL would sort small tables even with an index.
        await client.query('SET enable_seqscan = off; SET enable_sort = off');
        const { rows: lines } = await client.query(`EXPLAIN ${text}`, values);
        const plan = lines.map((line) => line['QUERY PLAN']).join('\n');
        expect(plan).toMatch(/Index Only Scan (Backward )?using core_objectchange_order_idx /);
        expect(plan).not.toContain('Sort');
      } finally {
        await client.query('RESET enable_seqscan; RESET enable_sort');
        client.release();
      }
    },
  );

  it('returns the same records as an explicit sort by time', async () => {
    const { rows: sorted } = await test.inventory.database.pool.query<{ id: string }>(
      'SELECT id FROM core_objectchange ORDER BY time DESC, id DESC',
    );
    for (const offset of [0, 1_990, 4_980]) {
      const path = `/api/core/object-changes/?fields=id&limit=50&offset=${offset}`;
      const { body } = await test.api.get<{ results: { id: number }[] }>(path);
      const expected = sorted.slice(offset, offset + 50).map(({ id }) => Number(id));
      expect(body.results.map(({ id }) => id)).toEqual(expected);
    }
  });
});

describe('GET of a list in the order of a reference', () => {
  beforeAll(async () => {
    const { database } = test.inventory;
    await database.inTransaction(async (tx) => {
      await tx.query('SET LOCAL session_replication_role = replica');
      // Addresses of the two VRFs without a route distinguisher are sorted together.
      await tx.query(
        `INSERT INTO ipam_vrf (name, rd) VALUES ('blue', '2'), ('amber', '1'), ('blue', NULL), ('blue', NULL)`,
      );
      await tx.query(`UPDATE ipam_ipaddress SET vrf_id = (SELECT id FROM ipam_vrf v WHERE v.id % 5 = t.id % 5)
        FROM (SELECT id FROM ipam_ipaddress) t WHERE t.id = ipam_ipaddress.id`);
      await tx.query(`INSERT INTO dcim_devicerole (name, slug) VALUES ('Another', 'another')`);
      await tx.query(`UPDATE dcim_device SET role_id = (SELECT max(id) FROM dcim_devicerole) WHERE id % 3 = 0`);
      await tx.query(`INSERT INTO dcim_manufacturer (name, slug) VALUES ('Another', 'another')`);
      await tx.query(`INSERT INTO dcim_devicetype (manufacturer_id, model, slug, u_height)
        SELECT max(id), 'Other', 'other', 1 FROM dcim_manufacturer`);
      await tx.query(`UPDATE dcim_device SET device_type_id = (SELECT max(id) FROM dcim_devicetype) WHERE id % 5 = 0`);
      for (const model of ['ipam.ipaddress', 'dcim.device']) {
        await tx.query('DELETE FROM row_counts WHERE model = $1', [model]);
        await tx.query('INSERT INTO row_counts (model, slot, n) VALUES ($1, 0, $2)', [model, rows]);
      }
    });
    await database.query(
      'ANALYZE ipam_ipaddress, ipam_vrf, dcim_device, dcim_devicerole, dcim_devicetype, dcim_manufacturer',
    );
  });

  it.each([
    ['ipam/ip-addresses', 'vrf'],
    ['dcim/devices', 'role'],
    ['dcim/devices', 'device_type'],
  ])('reads few rows of each referenced object, however many objects refer to it: %s by %s', async (path, field) => {
    const { text, values } = (await statementsOf(test, `${path}/?limit=10&ordering=${field}`)).choosing;
    const { rows: plans } = await test.inventory.database.pool.query(
      `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${text}`,
      values,
    );
    const found = JSON.stringify(plans).matchAll(/"Actual Rows":(\d+)/g);
    expect(Math.max(...Array.from(found, ([, count]) => Number(count)))).toBeLessThan(1000);
  });

  it('reads fewer than 1,000 objects for a page when all objects have the same last_updated', async () => {
    const { text, values } = (await statementsOf(test, 'ipam/prefixes/?limit=10&ordering=-last_updated')).choosing;
    const { rows: plans } = await test.inventory.database.pool.query(
      `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${text}`,
      values,
    );
    const found = JSON.stringify(plans).matchAll(/"Actual Rows":(\d+)/g);
    expect(Math.max(...Array.from(found, ([, count]) => Number(count)))).toBeLessThan(1000);
  });

  const byVrf = 'ipam_ipaddress t LEFT JOIN ipam_vrf r ON r.id = t.vrf_id';
  const byRole = 'dcim_device t JOIN dcim_devicerole r ON r.id = t.role_id';
  const byType =
    'dcim_device t JOIN dcim_devicetype r ON r.id = t.device_type_id JOIN dcim_manufacturer m ON m.id = r.manufacturer_id';
  it.each([
    ['ipam/ip-addresses', 'vrf', `${byVrf} ORDER BY r.name, r.rd, t.id`],
    ['ipam/ip-addresses', '-vrf', `${byVrf} ORDER BY r.name DESC, r.rd DESC, t.id`],
    ['dcim/devices', 'role', `${byRole} ORDER BY r._sort, t.id`],
    ['dcim/devices', '-role', `${byRole} ORDER BY r._sort DESC, t.id`],
    ['dcim/devices', 'device_type', `${byType} ORDER BY m.name, r.model, t.id`],
    ['dcim/devices', '-device_type', `${byType} ORDER BY m.name DESC, r.model DESC, t.id`],
  ])('returns the expected objects on each page of %s by %s', async (path, ordering, source) => {
    const { rows: sorted } = await test.inventory.database.query<{ id: number }>(`SELECT t.id FROM ${source}`);
    for (const offset of [0, 1_240, 1_990, 2_490, 3_010, 3_740, 3_990, 4_990]) {
      const url = `/api/${path}/?brief=true&limit=20&offset=${offset}&ordering=${ordering}`;
      const { body } = await test.api.get<{ results: { id: number }[] }>(url);
      const expected = sorted.slice(offset, offset + 20).map(({ id }) => id);
      expect([offset, body.results.map(({ id }) => id)]).toEqual([offset, expected]);
    }
  });
});
