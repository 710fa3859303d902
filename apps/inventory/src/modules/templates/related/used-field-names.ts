/**
 * Names of fields in the API, by their name in templates. Contains only fields that have a different name in templates.
 */
const fieldNamesByTemplateName: ReadonlyMap<string, string> = new Map([
  ['cf', 'custom_fields'],
  ['pk', 'id'],
  ['get_config_context', 'config_context'],
]);

/** Returns the name of the API field for the name of a member in a template. */
export function getFieldNameOfMember(name: string): string {
  const [, shown] = /^get_(\w+)_display$/.exec(name) ?? [];
  return shown ?? fieldNamesByTemplateName.get(name) ?? name;
}

/**
 * Returns the names of fields that a template may use: all words in its code, and the components of lookups such as
 * `site__name`. Related objects are first read with only these fields. If the template composes the name of a field,
 * the field is read when the template uses it.
 */
export function listUsedFieldNames(code: string): Set<string> {
  const words = new Set(code.match(/\w+/g));
  const names = [...words].flatMap((word) => [getFieldNameOfMember(word), ...word.split('__')]);
  return new Set([...names, ...names.map((name) => name.replace(/_id$/, ''))]);
}
