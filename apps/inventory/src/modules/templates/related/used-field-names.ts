/** API field names by the template name, for fields whose name in templates differs. */
const fieldNamesByAlias: ReadonlyMap<string, string> = new Map([
  ['cf', 'custom_fields'],
  ['pk', 'id'],
  ['get_config_context', 'config_context'],
]);

/** Returns the name of the API field for a member name in a template. */
export function getFieldNameOfMember(name: string): string {
  const [, shown] = /^get_(\w+)_display$/.exec(name) ?? [];
  return shown ?? fieldNamesByAlias.get(name) ?? name;
}

/**
 * Returns the names of fields that a template may use: all words in its code, and the components of lookups such as
 * `site__name`. Only these fields of related objects are read at first. A field whose name the template composes is
 * read when it is used.
 */
export function listUsedNames(code: string): Set<string> {
  const words = new Set(code.match(/\w+/g));
  const names = [...words].flatMap((word) => [getFieldNameOfMember(word), ...word.split('__')]);
  return new Set([...names, ...names.map((name) => name.replace(/_id$/, ''))]);
}
