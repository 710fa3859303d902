/**
 * Returns two SQL expressions for a row of `ipam_prefix`. `depth` is the number of prefixes in the same VRF that
 * contain the row's prefix. `children` is the number of prefixes in the same VRF that the row's prefix contains.
 */
export function createPrefixRelationCountsSql(row: string): { readonly depth: string; readonly children: string } {
  const covering = `ARRAY(SELECT network(set_masklen(${row}.prefix::inet, n)) FROM generate_series(0, masklen(${row}.prefix) - 1) n)::inet[]`;
  const inVrf = (condition: string): string => `CASE WHEN ${row}.vrf_id IS NULL
    THEN (SELECT count(*) FROM ipam_prefix o WHERE o.vrf_id IS NULL AND ${condition})
    ELSE (SELECT count(*) FROM ipam_prefix o WHERE o.vrf_id = ${row}.vrf_id AND ${condition}) END`;
  return {
    depth: inVrf(`o.prefix = ANY (${covering})`),
    children: inVrf(`o.prefix > ${row}.prefix AND o.prefix <= ipam_last_address(${row}.prefix)`),
  };
}
