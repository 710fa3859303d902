/**
 * Generates the rows of the inventory database; no other file of the benchmark names its tables and columns. A
 * migration that adds a column without a default, or that computes a column in a trigger, requires a change here and an
 * increment of `fillVersion`. The large tables are copied without triggers, so the values that triggers compute are
 * either copied or computed by {@link inventoryCompletionStatements}.
 */
import type { TableFill } from '../scale-app.js';
import type { CopyValue } from '../copy-rows.js';
import { randomInteger } from '../random-numbers.js';
import { credentialKeys } from '../benchmark-secrets.js';
import { prefixRows } from './generated-prefixes.js';
import {
  interfacesPerFullDevice,
  type InventoryAmounts,
  platformCount,
  tenantCount,
  vrfCount,
} from './inventory-sizes.js';
import { tokenByUser } from './benchmark-token.js';

export const inventoryFillVersion = 2;

const manufacturerCount = 10;
const deviceTypeCount = 50;
const roleCount = 10;
const changedModels = ['dcim.device', 'dcim.interface', 'ipam.ipaddress', 'ipam.prefix'] as const;

type GeneratedTableRow = readonly CopyValue[];

function tableFill(name: string, columns: string, rows: () => Iterable<GeneratedTableRow>, isLarge = false): TableFill {
  return { table: name, columns: columns.split(' '), rows, bulk: isLarge, withoutTriggers: isLarge };
}

function tableOfNumberedRows(
  name: string,
  count: number,
  columns: string,
  row: (n: number) => GeneratedTableRow,
  isLarge = false,
): TableFill {
  const rows = function* (): Generator<GeneratedTableRow> {
    for (let n = 1; n <= count; n += 1) yield [n, ...row(n)];
  };
  return tableFill(name, `id ${columns}`, rows, isLarge);
}

/** Returns the generated rows of an inventory table whose objects have only names and slugs, numbered from 1 on. */
function tableOfNames(name: string, title: string, count: number): TableFill {
  return tableOfNumberedRows(name, count, 'name slug', (n) => [`${title} ${n}`, `${title.toLowerCase()}-${n}`]);
}

/** Returns the tables of the inventory database to fill, in the order that their foreign keys require. */
export function inventoryTables(amounts: InventoryAmounts): TableFill[] {
  const { size, sites, racks } = amounts;
  const rackOf = (device: number): number => 1 + ((device - 1) % racks);
  const siteOf = (rack: number): number => 1 + (rack % sites);
  return [
    ...userTables(),
    tableOfNames('dcim_region', 'Region', 10),
    tableOfNames('dcim_sitegroup', 'Group', 5),
    tableOfNames('tenancy_tenant', 'Tenant', tenantCount),
    tableOfNumberedRows('ipam_vrf', vrfCount, 'name rd', (n) => [`VRF ${n}`, `65000:${n}`]),
    tableOfNames('ipam_role', 'Role', roleCount),
    tableOfNames('extras_tag', 'Tag', 22),
    ...customFieldTables(),
    tableOfNames('dcim_manufacturer', 'Maker', manufacturerCount),
    tableOfNumberedRows('dcim_devicetype', deviceTypeCount, 'manufacturer_id model slug', (n) => [
      1 + (n % manufacturerCount),
      `Model ${n}`,
      `model-${n}`,
    ]),
    tableOfNames('dcim_devicerole', 'Role', roleCount),
    tableOfNames('dcim_platform', 'Platform', platformCount),
    tableOfNumberedRows('dcim_site', sites, 'name slug region_id group_id', (n) => [
      `Site ${n}`,
      `site-${n}`,
      1 + (n % 10),
      1 + (n % 5),
    ]),
    tableOfNumberedRows('dcim_rack', racks, 'name site_id', (n) => [`Rack ${n}`, siteOf(n)]),
    tableOfNumberedRows(
      'dcim_device',
      size.devices,
      deviceColumns,
      (n) => deviceRow(n, amounts, rackOf(n), siteOf(rackOf(n))),
      true,
    ),
    tableOfNumberedRows('dcim_interface', size.devices, interfaceColumns, (n) => interfaceRow(n, amounts), true),
    tableFill('ipam_prefix', prefixColumns, () => prefixRows(amounts), true),
    tableOfNumberedRows('ipam_ipaddress', size.devices, addressColumns, (n) => addressRow(n), true),
    tableFill('extras_taggeditem', 'object_type object_id tag_id', () => taggedRows(size.devices), true),
    tableOfNumberedRows('core_objectchange', size.changes, changeColumns, (n) => changeRow(n, size.devices), true),
  ];
}

/**
 * Returns the tables of users and permissions. The superuser exists already. The other user can view the first site
 * with its devices and interfaces.
 */
function userTables(): TableFill[] {
  const tokenRow = (id: number, { key, secret }: (typeof tokenByUser)['limited']): GeneratedTableRow => {
    const { digest, pepperId } = credentialKeys.pepper.digestUnderCurrentPepper(secret);
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
    tableFill('users_user', 'id username password', () => [[2, 'limited', '!']]),
    tableFill('users_token', 'id version key hint digest pepper_id user_id', () => [
      tokenRow(1, tokenByUser.superuser),
      tokenRow(2, tokenByUser.limited),
    ]),
    tableFill('users_objectpermission', 'id name object_types actions constraints', () => permissions),
    tableFill('users_user_object_permissions', 'objectpermission_id user_id', () =>
      permissions.map(([id = 0]) => [id, 2]),
    ),
  ];
}

function customFieldTables(): TableFill[] {
  const columns = 'id name type object_types filter_logic';
  const carriers = ['dcim.device', 'ipam.prefix', 'ipam.ipaddress'];
  return [
    tableFill('extras_customfield', columns, () => [
      [1, 'code', 'text', carriers, 'exact'],
      [2, 'slot', 'integer', carriers, 'loose'],
    ]),
  ];
}

/**
 * Returns true if object number `n` is among the few objects with a rare status, a rare tag and a rare custom field
 * value.
 */
const hasRareValues = (n: number): boolean => n % 5000 === 7;

/**
 * Returns the JSON of the custom fields `code` and `slot` of object number `n`. `at` is the number of the object's
 * model. The JSON keys depend on the model, because values are stored by the pair of field and model.
 */
const customFieldsJson = (n: number, at: 1 | 2 | 3): string =>
  JSON.stringify({ [`#${at}`]: `code-${n % 5000}`, [`#${at + 3}`]: n });

const deviceColumns =
  'name device_type_id role_id tenant_id platform_id serial site_id rack_id status airflow description custom_field_data primary_ip4_id created last_updated';

/** Number of days between the creation times of the first and the last generated object. */
const creationDays = 1000;
const firstCreationDay = Date.UTC(2024, 0, 1);
const getCreationDay = (n: number, count: number): Date =>
  new Date(firstCreationDay + Math.floor((n / count) * creationDays) * 86_400_000);

function deviceRow(n: number, amounts: InventoryAmounts, rack: number, site: number): GeneratedTableRow {
  const created = getCreationDay(n % 100_000, 100_000);
  const places = [
    1 + randomInteger(n, 1, deviceTypeCount),
    1 + randomInteger(n, 2, roleCount),
    n % 3 === 0 ? null : 1 + randomInteger(n, 3, tenantCount),
  ];
  // A tenth of all devices have the first platform.
  const platform = n % 10 === 0 ? 1 : n % 10 === 1 ? null : 2 + randomInteger(n, 4, platformCount - 1);
  const words = `Device number ${n} ${n % 2 === 0 ? 'common' : ''} word${randomInteger(n, 5, 5000)}`;
  return [
    `device-${n}`,
    ...places,
    platform,
    `S${randomInteger(n, 6, 1e9).toString(16)}${n}`,
    site,
    n % 4 === 0 ? null : rack,
    hasRareValues(n) ? 'failed' : 'active',
    'front-to-rear',
    words,
    customFieldsJson(n, 1),
    n % 2 === 0 ? getPrimaryAddressId(n, amounts) : null,
    created,
    created,
  ];
}

/**
 * Returns the id of an address of the device's interfaces, or null if the device has no interface. Addresses have the
 * same ids as their interfaces.
 */
function getPrimaryAddressId(device: number, { fullDevices, size }: InventoryAmounts): number | null {
  if (device <= fullDevices) return (device - 1) * interfacesPerFullDevice + 2;
  const address = fullDevices * interfacesPerFullDevice + (device - fullDevices);
  return address <= size.devices && isAssignedAddress(address) ? address : null;
}

const isAssignedAddress = (address: number): boolean => address % 5 !== 1;

const interfaceColumns =
  'device_id _device_name name _order type enabled mgmt_only mtu description vrf_id created last_updated';

function interfaceRow(n: number, { fullDevices }: InventoryAmounts): GeneratedTableRow {
  const full = fullDevices * interfacesPerFullDevice;
  const device = n <= full ? Math.ceil(n / interfacesPerFullDevice) : fullDevices + (n - full);
  const created = getCreationDay(n % 100_000, 100_000);
  const [slot, number] = [n % 3, n <= full ? n % interfacesPerFullDevice : n % 48];
  // Values that triggers of the table would compute.
  const order = `000${slot}000099999999GigabitEthernet${String(number).padStart(6, '0')}............`;
  const words = `Interface number ${n} word${randomInteger(n, 7, 5000)}`;
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

const prefixColumns =
  'id prefix vrf_id tenant_id role_id status scope_type scope_id description custom_field_data created last_updated';

const addressColumns =
  'address vrf_id tenant_id status assigned_object_type assigned_object_id dns_name custom_field_data created last_updated';

function addressRow(n: number): GeneratedTableRow {
  const created = getCreationDay(n % 100_000, 100_000);
  const octets = [10, (n >> 12) & 255, (n >> 4) & 255, ((n & 15) << 4) + 1];
  return [
    `${octets.join('.')}/28`,
    1,
    n % 3 === 0 ? null : 1 + randomInteger(n, 8, tenantCount),
    hasRareValues(n) ? 'reserved' : 'active',
    isAssignedAddress(n) ? 'dcim.interface' : null,
    isAssignedAddress(n) ? n : null,
    `host-${n}.example.com`,
    customFieldsJson(n, 3),
    created,
    created,
  ];
}

const commonTagId = 1;
const rareTagId = 22;

function* taggedRows(devices: number): Generator<GeneratedTableRow> {
  for (let n = 1; n <= devices; n += 1) {
    if (n % 2 === 0) yield ['dcim.device', n, commonTagId];
    if (n % 4 === 0) yield ['dcim.interface', n, 2 + (n % 19)];
    if (n % 4 === 1) yield ['ipam.ipaddress', n, commonTagId];
    if (hasRareValues(n)) for (const model of changedModels) if (model !== 'ipam.prefix') yield [model, n, rareTagId];
  }
}

const changeColumns =
  'time user_id user_name request_id action changed_object_type changed_object_id object_repr prechange_data postchange_data';

function changeRow(n: number, devices: number): GeneratedTableRow {
  const object = 1 + randomInteger(n, 9, devices);
  const model = changedModels[n % changedModels.length] ?? changedModels[0];
  const request = `00000000-0000-4000-8000-${Math.floor(n / 10)
    .toString(16)
    .padStart(12, '0')}`;
  const data = JSON.stringify({ description: `change ${n} word${randomInteger(n, 10, 5000)}`, status: 'active' });
  const before = JSON.stringify({ description: `change ${n - 1}`, status: 'planned' });
  return [
    new Date(firstCreationDay + n * 15_000),
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

const sequenceStatements = [
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
const rowCountsSql = `
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

const referenceCountStatements = [
  ['dcim_device', 'device_type_id', 'dcim.device.device_type'],
  ['dcim_rack', 'rack_type_id', 'dcim.rack.rack_type'],
] as const;

/**
 * SQL statements that run after the tables are filled. The statements set each sequence to continue after the generated
 * ids, and compute the row counts that triggers normally maintain.
 */
export const inventoryCompletionStatements: readonly string[] = [
  ...sequenceStatements.map(
    (name) => `SELECT setval(pg_get_serial_sequence('${name}', 'id'), (SELECT max(id) FROM ${name}))`,
  ),
  rowCountsSql,
  ...referenceCountStatements.map(
    ([name, column, reference]) =>
      `INSERT INTO reference_counts (reference, object_id, n)
       SELECT '${reference}', ${column}, count(*) FROM ${name} WHERE ${column} IS NOT NULL GROUP BY ${column}`,
  ),
];
