/**
 * Generates the rows of the inventory database; no other file of the benchmark names its tables and columns. A
 * migration that adds a column without a default, or computes a column in a trigger, requires changes here.
 * `fillVersion` must be incremented too. The large tables are copied without triggers, so the values that triggers
 * compute are either copied or computed by {@link inventoryTableCompletionStatements}.
 */
import type { GeneratedTable } from '../scale-app.js';
import type { CopiedColumnValue } from '../copy-rows.js';
import { computePseudorandomInteger } from '../random-numbers.js';
import { benchmarkCredentialKeys } from '../benchmark-secrets.js';
import { generatePrefixRows } from './generated-prefixes.js';
import {
  interfacesPerFullDevice,
  type GeneratedInventoryObjectCounts,
  platformCount,
  tenantCount,
  vrfCount,
} from './inventory-sizes.js';
import { apiTokenByInventoryUser } from './benchmark-token.js';

export const inventoryDatabaseFillVersion = 4;

const manufacturerCount = 10;
const deviceTypeCount = 50;
const deviceRoleCount = 10;
const modelsInChangeLog = ['dcim.device', 'dcim.interface', 'ipam.ipaddress', 'ipam.prefix'] as const;

type GeneratedTableRow = readonly CopiedColumnValue[];

function createTableFill(
  name: string,
  columns: string,
  rows: () => Iterable<GeneratedTableRow>,
  isLarge = false,
): GeneratedTable {
  return { table: name, columns: columns.split(' '), rows, bulk: isLarge, withoutTriggers: isLarge };
}

function createTableOfNumberedRows(
  name: string,
  count: number,
  columns: string,
  row: (n: number) => GeneratedTableRow,
  isLarge = false,
): GeneratedTable {
  const rows = function* (): Generator<GeneratedTableRow> {
    for (let n = 1; n <= count; n += 1) yield [n, ...row(n)];
  };
  return createTableFill(name, `id ${columns}`, rows, isLarge);
}

/** Returns the generated rows of an inventory table whose objects have only names and slugs, numbered from 1 on. */
function createTableOfNames(name: string, title: string, count: number): GeneratedTable {
  return createTableOfNumberedRows(name, count, 'name slug', (n) => [`${title} ${n}`, `${title.toLowerCase()}-${n}`]);
}

/** Returns the tables of the inventory database to fill, in the order that their foreign keys require. */
export function createInventoryTables(amounts: GeneratedInventoryObjectCounts): GeneratedTable[] {
  const { size, sites, racks } = amounts;
  const rackOf = (device: number): number => 1 + ((device - 1) % racks);
  const siteOf = (rack: number): number => 1 + (rack % sites);
  return [
    ...createUserTables(),
    createTableOfNames('dcim_region', 'Region', 10),
    createTableOfNames('dcim_sitegroup', 'Group', 5),
    createTableOfNames('tenancy_tenant', 'Tenant', tenantCount),
    createTableOfNumberedRows('ipam_vrf', vrfCount, 'name rd', (n) => [`VRF ${n}`, `65000:${n}`]),
    createTableOfNames('ipam_role', 'Role', deviceRoleCount),
    createTableOfNames('extras_tag', 'Tag', 22),
    ...createCustomFieldTables(),
    createTableOfNames('dcim_manufacturer', 'Maker', manufacturerCount),
    createTableOfNumberedRows('dcim_devicetype', deviceTypeCount, 'manufacturer_id model slug', (n) => [
      1 + (n % manufacturerCount),
      `Model ${n}`,
      `model-${n}`,
    ]),
    createTableOfNames('dcim_devicerole', 'Role', deviceRoleCount),
    createTableOfNames('dcim_platform', 'Platform', platformCount),
    createTableOfNumberedRows('dcim_site', sites, 'name slug region_id group_id', (n) => [
      `Site ${n}`,
      `site-${n}`,
      1 + (n % 10),
      1 + (n % 5),
    ]),
    createTableOfNumberedRows('dcim_rack', racks, 'name site_id', (n) => [`Rack ${n}`, siteOf(n)]),
    createTableOfNumberedRows(
      'dcim_device',
      size.devices,
      deviceColumnNames,
      (n) => createDeviceRow(n, amounts, rackOf(n), siteOf(rackOf(n))),
      true,
    ),
    createTableOfNumberedRows(
      'dcim_interface',
      size.devices,
      interfaceColumnNames,
      (n) => createInterfaceRow(n, amounts),
      true,
    ),
    createTableFill('ipam_prefix', prefixColumnNames, () => generatePrefixRows(amounts), true),
    createTableOfNumberedRows('ipam_ipaddress', size.devices, ipAddressColumnNames, (n) => createIpAddressRow(n), true),
    createTableFill(
      'extras_taggeditem',
      'object_type object_id tag_id',
      () => createTaggedDeviceRows(size.devices),
      true,
    ),
    createTableOfNumberedRows(
      'core_objectchange',
      size.changes,
      objectChangeColumnNames,
      (n) => createObjectChangeRow(n, size.devices),
      true,
    ),
    createTableFill('webhook_deliveries', deliveryColumnNames, () => createDeliveryRows(size.deliveries), true),
  ];
}

/**
 * Returns the tables of users and permissions. The superuser exists already. The other user can view the first site
 * with its devices and interfaces.
 */
function createUserTables(): GeneratedTable[] {
  const tokenRow = (id: number, { key, secret }: (typeof apiTokenByInventoryUser)['limited']): GeneratedTableRow => {
    const { digest, pepperId } = benchmarkCredentialKeys.pepper.digestUnderCurrentPepper(secret);
    return [id, 2, key, '', digest, pepperId, id];
  };
  const ofSite = (id: number, name: string, models: string[], constraints: object): GeneratedTableRow => [
    id,
    name,
    models,
    ['view'],
    JSON.stringify(constraints),
  ];
  const permissions = [
    ofSite(1, 'devices', ['dcim.device'], { site__slug: 'site-1' }),
    ofSite(2, 'interfaces', ['dcim.interface'], { device__site__slug: 'site-1' }),
    ofSite(3, 'sites', ['dcim.site'], { slug: 'site-1' }),
    ofSite(4, 'tenants', ['tenancy.tenant'], {}),
  ];
  return [
    createTableFill('users_user', 'id username password', () => [[2, 'limited', '!']]),
    createTableFill('users_token', 'id version key hint digest pepper_id user_id', () => [
      tokenRow(1, apiTokenByInventoryUser.superuser),
      tokenRow(2, apiTokenByInventoryUser.limited),
    ]),
    createTableFill('users_objectpermission', 'id name object_types actions constraints', () => permissions),
    createTableFill('users_user_object_permissions', 'objectpermission_id user_id', () =>
      permissions.map(([id = 0]) => [id, 2]),
    ),
  ];
}

function createCustomFieldTables(): GeneratedTable[] {
  const columns = 'id name type object_types filter_logic';
  const carriers = ['dcim.device', 'ipam.prefix', 'ipam.ipaddress'];
  return [
    createTableFill('extras_customfield', columns, () => [
      [1, 'code', 'text', carriers, 'exact'],
      [2, 'slot', 'integer', carriers, 'loose'],
    ]),
  ];
}

/**
 * Returns true if object number `n` is among the few objects with a rare status, a rare tag and a rare custom field
 * value.
 */
const hasRareFieldValues = (n: number): boolean => n % 5000 === 7;

/**
 * Returns the JSON of the custom fields `code` and `slot` of object number `n`. `at` is the number of the object's
 * model. The JSON keys depend on the model, because values are stored by the pair of field and model.
 */
const createCustomFieldsJson = (n: number, at: 1 | 2 | 3): string =>
  JSON.stringify({ [`#${at}`]: `code-${n % 5000}`, [`#${at + 3}`]: n });

const deviceColumnNames =
  'name device_type_id role_id tenant_id platform_id serial site_id rack_id status airflow description custom_field_data primary_ip4_id created last_updated';

/** Number of days between the creation times of the first and the last generated object. */
const creationPeriodDays = 1000;
const firstObjectCreationTimeMs = Date.UTC(2024, 0, 1);
const getObjectCreationDay = (n: number, count: number): Date =>
  new Date(firstObjectCreationTimeMs + Math.floor((n / count) * creationPeriodDays) * 86_400_000);

function createDeviceRow(
  n: number,
  amounts: GeneratedInventoryObjectCounts,
  rack: number,
  site: number,
): GeneratedTableRow {
  const created = getObjectCreationDay(n % 100_000, 100_000);
  const places = [
    1 + computePseudorandomInteger(n, 1, deviceTypeCount),
    1 + computePseudorandomInteger(n, 2, deviceRoleCount),
    n % 3 === 0 ? null : 1 + computePseudorandomInteger(n, 3, tenantCount),
  ];
  // A tenth of all devices have the first platform.
  const platform = n % 10 === 0 ? 1 : n % 10 === 1 ? null : 2 + computePseudorandomInteger(n, 4, platformCount - 1);
  const words = `Device number ${n} ${n % 2 === 0 ? 'common' : ''} word${computePseudorandomInteger(n, 5, 5000)}`;
  return [
    `device-${n}`,
    ...places,
    platform,
    `S${computePseudorandomInteger(n, 6, 1e9).toString(16)}${n}`,
    site,
    n % 4 === 0 ? null : rack,
    hasRareFieldValues(n) ? 'failed' : 'active',
    'front-to-rear',
    words,
    createCustomFieldsJson(n, 1),
    n % 2 === 0 ? getPrimaryAddressId(n, amounts) : null,
    created,
    created,
  ];
}

/**
 * Returns the id of an address of the device's interfaces, or null if the device has no interface. Addresses have the
 * same ids as their interfaces.
 */
function getPrimaryAddressId(device: number, { fullDevices, size }: GeneratedInventoryObjectCounts): number | null {
  if (device <= fullDevices) return (device - 1) * interfacesPerFullDevice + 2;
  const address = fullDevices * interfacesPerFullDevice + (device - fullDevices);
  return address <= size.devices && isAssignedIpAddress(address) ? address : null;
}

const isAssignedIpAddress = (address: number): boolean => address % 5 !== 1;

const interfaceColumnNames =
  'device_id _device_name name _order type enabled mgmt_only mtu description vrf_id created last_updated';

function createInterfaceRow(n: number, { fullDevices }: GeneratedInventoryObjectCounts): GeneratedTableRow {
  const full = fullDevices * interfacesPerFullDevice;
  const device = n <= full ? Math.ceil(n / interfacesPerFullDevice) : fullDevices + (n - full);
  const created = getObjectCreationDay(n % 100_000, 100_000);
  const [slot, number] = [n % 3, n <= full ? n % interfacesPerFullDevice : n % 48];
  // Values that triggers of the table would compute.
  const order = `000${slot}000099999999GigabitEthernet${String(number).padStart(6, '0')}............`;
  const words = `Interface number ${n} word${computePseudorandomInteger(n, 7, 5000)}`;
  return [
    device,
    `device-${device}`,
    `GigabitEthernet${slot}/0/${number}`,
    order,
    '1000base-t',
    n % 7 > 0,
    n % 10 === 0,
    1500 + (n % 100),
    words,
    n % 2 === 0 ? 1 : null,
    created,
    created,
  ];
}

const prefixColumnNames =
  'id prefix vrf_id tenant_id role_id status scope_type scope_id description custom_field_data created last_updated';

const ipAddressColumnNames =
  'address vrf_id tenant_id status assigned_object_type assigned_object_id dns_name custom_field_data created last_updated';

function createIpAddressRow(n: number): GeneratedTableRow {
  const created = getObjectCreationDay(n % 100_000, 100_000);
  const octets = [10, (n >> 12) & 255, (n >> 4) & 255, ((n & 15) << 4) + 1];
  return [
    `${octets.join('.')}/28`,
    1,
    n % 3 === 0 ? null : 1 + computePseudorandomInteger(n, 8, tenantCount),
    hasRareFieldValues(n) ? 'reserved' : 'active',
    isAssignedIpAddress(n) ? 'dcim.interface' : null,
    isAssignedIpAddress(n) ? n : null,
    `host-${n}.example.com`,
    createCustomFieldsJson(n, 3),
    created,
    created,
  ];
}

const commonTagId = 1;
const rareTagId = 22;

function* createTaggedDeviceRows(devices: number): Generator<GeneratedTableRow> {
  for (let n = 1; n <= devices; n += 1) {
    if (n % 2 === 0) yield ['dcim.device', n, commonTagId];
    if (n % 4 === 0) yield ['dcim.interface', n, 2 + (n % 19)];
    if (n % 4 === 1) yield ['ipam.ipaddress', n, commonTagId];
    if (hasRareFieldValues(n))
      for (const model of modelsInChangeLog) if (model !== 'ipam.prefix') yield [model, n, rareTagId];
  }
}

const objectChangeColumnNames =
  'time user_id user_name request_id action changed_object_type changed_object_id object_repr prechange_data postchange_data';

function createObjectChangeRow(n: number, devices: number): GeneratedTableRow {
  const object = 1 + computePseudorandomInteger(n, 9, devices);
  const model = modelsInChangeLog[n % modelsInChangeLog.length] ?? modelsInChangeLog[0];
  const request = `00000000-0000-4000-8000-${Math.floor(n / 10)
    .toString(16)
    .padStart(12, '0')}`;
  const data = JSON.stringify({
    description: `change ${n} word${computePseudorandomInteger(n, 10, 5000)}`,
    status: 'active',
  });
  const before = JSON.stringify({ description: `change ${n - 1}`, status: 'planned' });
  return [
    new Date(firstObjectCreationTimeMs + n * 15_000),
    1,
    'scale',
    request,
    'update',
    model,
    object,
    `object-${object}`,
    before,
    data,
  ];
}

const deliveryColumnNames =
  'sequence action_object_id event object_type object_id payload attempts waiting_for next_attempt_at';

/** Number of deliveries about the same object. All except the first wait for an earlier delivery. */
const deliveriesPerObject = 10;
/** Time of the next attempt of the first delivery about each object, after the end of any measurement. */
const nextDeliveryAttempt = new Date(Date.UTC(2100, 0, 1));

function* createDeliveryRows(count: number): Generator<GeneratedTableRow> {
  const objects = Math.ceil(count / deliveriesPerObject);
  for (let n = 1; n <= count; n += 1) {
    const isFirst = n <= objects;
    const payload = JSON.stringify({ event: 'updated', data: { description: `change ${n}` } });
    // With a time in the future and without `waiting_for`, a delivery would count as being sent.
    const attempts = isFirst ? [1, 'retry', nextDeliveryAttempt] : [0, null, new Date(firstObjectCreationTimeMs)];
    yield [n, 1, 'updated', 'dcim.device', 1 + (n % objects), payload, ...attempts];
  }
}

const resetSequenceStatements = [
  'users_user',
  'users_token',
  'users_objectpermission',
  'dcim_region',
  'dcim_sitegroup',
  'tenancy_tenant',
  'ipam_vrf',
  'ipam_role',
  'extras_tag',
  'extras_customfield',
  'dcim_manufacturer',
  'dcim_devicetype',
  'dcim_devicerole',
  'dcim_platform',
  'dcim_site',
  'dcim_rack',
  'dcim_device',
  'dcim_interface',
  'ipam_prefix',
  'ipam_ipaddress',
  'core_objectchange',
];

/** SQL that computes the stored row counts, which triggers maintain when rows are written without COPY. */
const computeRowCountsSql = `
  DELETE FROM row_counts;
  DO $$
  DECLARE counted record;
  BEGIN
    FOR counted IN
      SELECT tgrelid::regclass AS counted_table, convert_from(trim(trailing '\\x00'::bytea FROM tgargs), 'UTF8') AS model
      FROM pg_trigger WHERE tgname = 'count_added'
    LOOP
      EXECUTE format('INSERT INTO row_counts (model, slot, n) SELECT %L, 0, count(*) FROM %s HAVING count(*) > 0',
        counted.model, counted.counted_table);
    END LOOP;
  END $$`;

const computeReferenceCountStatements = [
  ['dcim_device', 'device_type_id', 'dcim.device.device_type'],
  ['dcim_rack', 'rack_type_id', 'dcim.rack.rack_type'],
] as const;

/**
 * SQL statements that run after the tables are filled. The statements set each sequence to continue after the generated
 * ids, and compute the row counts that triggers normally maintain.
 */
export const inventoryTableCompletionStatements: readonly string[] = [
  ...resetSequenceStatements.map(
    (name) => `SELECT setval(pg_get_serial_sequence('${name}', 'id'), (SELECT max(id) FROM ${name}))`,
  ),
  `SELECT setval(pg_get_serial_sequence('webhook_deliveries', 'sequence'), (SELECT max(sequence) FROM webhook_deliveries))`,
  computeRowCountsSql,
  ...computeReferenceCountStatements.map(
    ([name, column, reference]) =>
      `INSERT INTO reference_counts (reference, object_id, n)
       SELECT '${reference}', ${column}, count(*) FROM ${name} WHERE ${column} IS NOT NULL GROUP BY ${column}`,
  ),
];
