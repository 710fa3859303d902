/** SQL table expression of AS numbers as text, because filter values need not be numbers. */
export const asNumberListSql = { table: '(SELECT id, asn::text AS asn FROM ipam_asn) numbered' };
