import type { Tx } from '@switchboard/database';

/** Returns true if the database contains no objects yet. Demo objects are created only in an empty database. */
export async function isEmptyDatabase(tx: Tx): Promise<boolean> {
  const { rows } = await tx.query(
    'SELECT FROM row_counts WHERE model <> ALL ($1) GROUP BY model HAVING sum(n) <> 0 LIMIT 1',
    [['core.objecttype', 'dcim.moduletypeprofile', 'users.user', 'users.token']],
  );
  return rows.length === 0;
}

/**
 * Creates the sites, prefixes, addresses and the webhook of the demo network. Uses SQL because Prisma has no columns of
 * the type cidr (docs/adr/0031).
 */
export async function createDemoNetwork(
  tx: Tx,
  webhook: { url: string; secret: string; digest: string },
): Promise<void> {
  await tx.query(`
    WITH grp AS (INSERT INTO tenancy_tenantgroup (name, slug) VALUES ('Customers', 'customers') RETURNING id),
      ten AS (INSERT INTO tenancy_tenant (name, slug, group_id) SELECT 'Acme', 'acme', id FROM grp RETURNING id),
      reg AS (INSERT INTO dcim_region (name, slug) VALUES ('Europe', 'europe') RETURNING id)
    INSERT INTO dcim_site (name, slug, region_id, tenant_id, facility)
      SELECT site.name, site.slug, reg.id, ten.id, site.facility
      FROM reg, ten, (VALUES ('Amsterdam', 'amsterdam', 'AMS1'), ('Berlin', 'berlin', 'BER1')) AS site (name, slug, facility)`);
  await tx.query(`
    WITH v AS (INSERT INTO ipam_vrf (name, rd) VALUES ('Production', '65000:1') RETURNING id),
      r AS (INSERT INTO ipam_role (name, slug) VALUES ('Servers', 'servers') RETURNING id)
    INSERT INTO ipam_prefix (prefix, status, vrf_id, role_id, scope_type, scope_id)
      SELECT p.prefix::cidr, p.status, v.id, r.id, 'dcim.site', s.id FROM v, r, dcim_site s,
        (VALUES ('10.0.0.0/16', 'container'), ('10.0.1.0/24', 'active'), ('10.0.2.0/24', 'active')) AS p (prefix, status)
      WHERE s.slug = 'amsterdam'`);
  await tx.query(`
    INSERT INTO ipam_ipaddress (address, vrf_id, dns_name)
      SELECT a.address::inet, v.id, a.name FROM ipam_vrf v,
        (VALUES ('10.0.1.1/24', 'gateway.example.com'), ('10.0.1.10/24', 'www.example.com')) AS a (address, name)
      WHERE v.rd = '65000:1'`);
  await tx.query(
    `WITH hook AS (INSERT INTO extras_webhook (name, payload_url, secret, secret_digest)
        VALUES ('Local receiver', $1, $2, $3) RETURNING id)
      INSERT INTO extras_eventrule (name, object_types, event_types, action_type, action_object_type, action_object_id)
      SELECT 'Everything in IPAM and sites', ARRAY['ipam.prefix', 'ipam.ipaddress', 'ipam.vrf', 'dcim.site'],
        ARRAY['object_created', 'object_updated', 'object_deleted'], 'webhook', 'extras.webhook', id FROM hook`,
    [webhook.url, webhook.secret, webhook.digest],
  );
}
