/** A list that the baseline serves. */
export interface ListPage<Row extends { readonly id: number } = { readonly id: number }> {
  readonly path: string;
  /** Name of the model in the table `row_counts`. */
  readonly model: string;
  /** SQL of the selected columns. `t` contains the rows of the page, with all columns of the table. */
  readonly columns: string;
  /** SQL of the joined tables that the columns need. */
  readonly joins: string;
  readonly table: string;
  /** SQL of the list's default order. `t` is the table. */
  readonly order: string;
  /** SQL of the joined tables that the order needs. */
  readonly orderJoins?: string;
  shape(row: Row, base: string): object;
}

/** SQL of the columns that every model has. */
export const common = `t.id, t.custom_field_data AS custom_fields,
  to_char(t.created AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS created,
  to_char(t.last_updated AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS last_updated`;

/** A row with the columns of {@link common}. */
export interface CommonRow {
  readonly id: number;
  readonly custom_fields: Readonly<Record<string, unknown>>;
  readonly created: string;
  readonly last_updated: string;
}

/** SQL of the tags of a row, as a JSON array. */
export function tagsOf(model: string): string {
  return `(SELECT json_agg(json_build_object('id', g.id, 'name', g.name, 'slug', g.slug, 'color', g.color) ORDER BY g.weight, g.name)
    FROM extras_taggeditem a JOIN extras_tag g ON g.id = a.tag_id WHERE a.object_type = '${model}' AND a.object_id = t.id) AS tags`;
}

/** A tag as returned by {@link tagsOf}. */
export interface TagRow {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly color: string;
}

/** Returns tags in the form of the API. */
export function tagList(tags: readonly TagRow[] | null, base: string): object[] {
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

/** Returns the fields that most related objects have in the API. */
export function named(
  path: string,
  id: number | null,
  { name, slug, description }: { name: string | null; slug: string | null; description: string | null },
  base: string,
  further: object = {},
): object | null {
  if (id === null) return null;
  return { id, url: `${base}/api/${path}/${id}/`, display: name, name, slug, description, ...further };
}

/** Returns a VRF in the form of the API, with its route distinguisher. */
export function vrfOf(
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
 * Fails for an object that the baseline does not support. The seed has none, and the response for a row that refers to
 * one would be wrong.
 */
export function absent(found: number | boolean | null): null {
  if (found !== null && found !== false) throw new Error('the baseline does not know this relation');
  return null;
}
