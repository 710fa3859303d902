/** SQL and JSON form of a list that the baseline server serves. */
export interface ListPage<Row extends { readonly id: number } = { readonly id: number }> {
  readonly path: string;
  /** Name of the listed model in the table `row_counts`. */
  readonly model: string;
  /**
   * SQL of the selected columns. The alias `t` is the subquery with the rows of the page and all columns of the table.
   */
  readonly columns: string;
  /** SQL of the joined tables that {@link columns} refers to. */
  readonly joins: string;
  readonly table: string;
  /** SQL of the list's default order. The alias `t` is the listed table. */
  readonly order: string;
  /** SQL of the joined tables that {@link order} refers to. */
  readonly orderJoins?: string;
  shape(row: Row, base: string): object;
}

/** SQL of the columns that are selected for every listed model. */
export const commonColumns = `t.id, t.custom_field_data AS custom_fields,
  to_char(t.created AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS created,
  to_char(t.last_updated AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS last_updated`;

/** A row with the columns of {@link commonColumns}. */
export interface CommonListRow {
  readonly id: number;
  readonly custom_fields: Readonly<Record<string, unknown>>;
  readonly created: string;
  readonly last_updated: string;
}

/** Returns the SQL expression for the tags of a row of `model`, as a JSON array. */
export function tagsSql(model: string): string {
  return `(SELECT json_agg(json_build_object('id', g.id, 'name', g.name, 'slug', g.slug, 'color', g.color) ORDER BY g.weight, g.name)
    FROM extras_taggeditem a JOIN extras_tag g ON g.id = a.tag_id WHERE a.object_type = '${model}' AND a.object_id = t.id) AS tags`;
}

/** A tag in the JSON array of {@link tagsSql}. */
export interface TagRow {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly color: string;
}

/** Converts tags to the JSON form of the inventory API. `base` is the origin of their URLs. */
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
export function nestedObjectJson(
  path: string,
  id: number | null,
  { name, slug, description }: { name: string | null; slug: string | null; description: string | null },
  base: string,
  further: object = {},
): object | null {
  if (id === null) return null;
  return { id, url: `${base}/api/${path}/${id}/`, display: name, name, slug, description, ...further };
}

/** Converts a nested VRF, with its route distinguisher, to the JSON form of the inventory API. */
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
 * Returns null for a missing object. Throws for an existing one, because the baseline has no format for it and the seed
 * creates none.
 */
export function requireAbsentReference(found: number | boolean | null): null {
  if (found !== null && found !== false) throw new Error('the baseline does not know this relation');
  return null;
}
