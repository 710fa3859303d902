/** SQL and JSON form of a list that the baseline server (the server for comparison) serves. */
export interface BaselineListPage<Row extends { readonly id: number } = { readonly id: number }> {
  readonly path: string;
  /** Name of the model of the listed objects in the table `row_counts`. */
  readonly model: string;
  /**
   * SQL of the selected columns. The alias `t` stands for the subquery that selects the rows of the page with all
   * columns of the table.
   */
  readonly columns: string;
  /** SQL of the joined tables to which {@link columns} refers. */
  readonly joins: string;
  readonly table: string;
  /** SQL of the default sort order of the list. The alias `t` stands for the table of the listed objects. */
  readonly order: string;
  /** SQL of the joined tables to which {@link order} refers. Absent if the order needs no joined tables. */
  readonly orderJoins?: string;
  shape(row: Row, base: string): object;
}

/** SQL of the columns that are selected for every listed model. */
export const commonListColumnsSql = `t.id, t.custom_field_data AS custom_fields,
  to_char(t.created AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS created,
  to_char(t.last_updated AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS last_updated`;

/** A row of a list that has the columns of {@link commonListColumnsSql}. */
export interface CommonListRow {
  readonly id: number;
  readonly custom_fields: Readonly<Record<string, unknown>>;
  readonly created: string;
  readonly last_updated: string;
}

/** Returns the SQL expression of the tags of a row of the model `model`, as a JSON array. */
export function createTagsSql(model: string): string {
  return `(SELECT json_agg(json_build_object('id', g.id, 'name', g.name, 'slug', g.slug, 'color', g.color) ORDER BY g.weight, g.name)
    FROM extras_taggeditem a JOIN extras_tag g ON g.id = a.tag_id WHERE a.object_type = '${model}' AND a.object_id = t.id) AS tags`;
}

/** A tag in the JSON array that the SQL of {@link createTagsSql} creates. */
export interface TagRow {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly color: string;
}

/** Returns tags in the JSON form of the inventory API. `base` is the scheme and host of the tags' URLs. */
export function createTagsJson(tags: readonly TagRow[] | null, base: string): object[] {
  return (tags ?? []).map(({ id, name, slug, color }) => ({
    id,
    url: `${base}/api/extras/tags/${id}/`,
    display_url: `${base}/extras/tags/${id}/`,
    display: name,
    name,
    slug,
    color,
  }));
}

/**
 * Returns the fields that nested objects have in the inventory API, such as id, URL, name and slug. Returns null if
 * `id` is null.
 */
export function createNestedObjectJson(
  path: string,
  id: number | null,
  { name, slug, description }: { name: string | null; slug: string | null; description: string | null },
  base: string,
  further: object = {},
): object | null {
  if (id === null) return null;
  return { id, url: `${base}/api/${path}/${id}/`, display: name, name, slug, description, ...further };
}

/**
 * Returns a nested VRF, with its route distinguisher, in the JSON form of the inventory API. VRF means virtual routing
 * and forwarding.
 */
export function createVrfJson(
  row: { vrf_id: number | null; vrf_name: string; vrf_rd: string; vrf_description: string },
  base: string,
): object | null {
  if (row.vrf_id === null) return null;
  return {
    id: row.vrf_id,
    url: `${base}/api/ipam/vrfs/${row.vrf_id}/`,
    display: `${row.vrf_name} (${row.vrf_rd})`,
    name: row.vrf_name,
    rd: row.vrf_rd,
    description: row.vrf_description,
  };
}

/**
 * Returns null for a related object that does not exist. Throws an error for an existing object, because the baseline
 * server has no format for such an object. The test data contains none.
 */
export function requireAbsentReference(found: number | boolean | null): null {
  if (found !== null && found !== false) throw new Error('the baseline does not know this relation');
  return null;
}
