/**
 * SQL table expression of AS numbers as text. Filters compare the text, because filter values are not always numbers.
 */
export const asNumberListSql = { table: '(SELECT id, asn::text AS asn FROM ipam_asn) numbered' };
