/** AS numbers as filters name them: text that may or may not be a number. */
export const asnsByNumber = { table: '(SELECT id, asn::text AS asn FROM ipam_asn) numbered' };
