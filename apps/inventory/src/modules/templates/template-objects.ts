import { TemplateObject } from '@switchboard/templates';

/**
 * Converts a JSON value of the API to a value for templates. A printed object is its display name and a printed choice
 * its value, and both have their fields: `{{ device.site }}` is the name of the site, and `{{ device.site.slug }}`
 * works as well.
 */
export function asTemplateValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asTemplateValue);
  if (typeof value !== 'object' || value === null) return value;
  const fields: Readonly<Record<string, unknown>> = { ...value };
  const described = (): Record<string, unknown> =>
    Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, asTemplateValue(field)]));
  if (isChoice(fields)) return new TemplateObject(scalarOf(fields['value']), described);
  if (typeof fields['display'] === 'string' && 'id' in fields) return new TemplateObject(fields['display'], described);
  return described();
}

function isChoice(fields: Readonly<Record<string, unknown>>): boolean {
  return 'value' in fields && 'label' in fields && Object.keys(fields).length === 2;
}

function scalarOf(value: unknown): string | number | boolean | null {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}
