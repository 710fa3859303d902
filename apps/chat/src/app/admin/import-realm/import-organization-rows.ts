import { compileLinkifier, LinkifierError, urlTemplateVariables } from '../../../infra/markdown/index.js';
import { toTextKey } from '../../../infra/normalized-text-key.js';
import type { ArchiveRow } from './archive/archive-row.js';
import type { ImportContext, ImportedUsers } from './import-context.js';
import { insertRows } from './insert-rows.js';

const linkifierColumns = {
  id: 'int',
  realm_id: 'int',
  pattern: 'text',
  url_template: 'text',
  example_input: 'text',
  reverse_template: 'text',
  alternative_url_templates: 'text[]',
  position: 'int',
};

/** Inserts the linkifiers, code playgrounds and email domains of the organization. */
export async function importOrganizationRows(context: ImportContext): Promise<void> {
  await importLinkifiers(context);
  await importPlaygrounds(context);
  const { tx, realmId, archive, report } = context;
  const domains = (await archive.tables.readTable('zerver_realmdomain')).map((row) => ({
    realm_id: realmId,
    domain: row.text('domain').toLowerCase(),
    allow_subdomains: row.boolean('allow_subdomains'),
  }));
  await insertRows(tx, 'realm_domains', { realm_id: 'int', domain: 'text', allow_subdomains: 'boolean' }, domains);
  report.addImported('email domains', domains.length);
}

async function importLinkifiers({ tx, realmId, archive, report }: ImportContext): Promise<void> {
  const rows = await archive.tables.readTable('zerver_realmfilter');
  const linkifiers = rows.map((row) => ({
    id: row.id(),
    realm_id: realmId,
    pattern: row.text('pattern'),
    url_template: row.text('url_template'),
    example_input: row.optionalText('example_input'),
    reverse_template: row.optionalText('reverse_template'),
    alternative_url_templates: getAlternativeUrlTemplates(row),
    position: row.optionalInteger('order') ?? row.id(),
  }));
  const valid = linkifiers.filter((one) => isValidLinkifier(one.pattern, one.url_template));
  report.addSkipped('linkifiers with an unsupported pattern', rows.length - valid.length);
  await insertRows(tx, 'realm_linkifiers', linkifierColumns, valid);
  report.addImported('linkifiers', valid.length);
}

function getAlternativeUrlTemplates(row: ArchiveRow): string[] {
  const list = row.getUnchecked('alternative_url_templates');
  return Array.isArray(list) ? list.filter((template): template is string => typeof template === 'string') : [];
}

function isValidLinkifier(pattern: string, template: string): boolean {
  return returnsWithoutError(() => compileLinkifier(pattern, template));
}

/** Calls a check of a pattern or template. Returns true if the check does not throw, otherwise false. */
function returnsWithoutError(check: () => unknown): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof LinkifierError) return false;
    throw error;
  }
}

async function importPlaygrounds({ tx, realmId, archive, report }: ImportContext): Promise<void> {
  const rows = await archive.tables.readTable('zerver_realmplayground');
  const playgrounds = rows.map((row) => ({
    id: row.id(),
    realm_id: realmId,
    name: row.text('name'),
    pygments_language: row.text('pygments_language'),
    url_template: row.optionalText('url_template') ?? '',
  }));
  const valid = playgrounds.filter(({ url_template: template }) =>
    returnsWithoutError(() => urlTemplateVariables(template)),
  );
  report.addSkipped('playgrounds with an invalid URL template', rows.length - valid.length);
  const columns = { id: 'int', realm_id: 'int', name: 'text', pygments_language: 'text', url_template: 'text' };
  await insertRows(tx, 'realm_playgrounds', columns, valid);
  report.addImported('playgrounds', valid.length);
}

const profileFieldColumns = {
  id: 'int',
  realm_id: 'int',
  field_type: 'int',
  name: 'text',
  name_key: 'text',
  hint: 'text',
  field_data: 'text',
  position: 'int',
  display_in_profile_summary: 'boolean',
  required: 'boolean',
  editable_by_user: 'boolean',
  use_for_user_matching: 'boolean',
};

/** Types of profile fields whose values are Markdown: short and long texts. */
const markdownFieldTypes: readonly number[] = [1, 2];
const maxProfileFieldType = 8;

/** Inserts the organization's custom profile fields, and the users' values of these fields. */
export async function importProfileFields(context: ImportContext, users: ImportedUsers): Promise<void> {
  const { tx, realmId, archive, renderer, report } = context;
  const archived = await archive.tables.readTable('zerver_customprofilefield');
  const rows = archived.filter(
    (row) => row.integer('field_type') >= 1 && row.integer('field_type') <= maxProfileFieldType,
  );
  report.addSkipped('profile fields of unknown types', archived.length - rows.length);
  const fields = rows.map((row) => ({
    id: row.id(),
    realm_id: realmId,
    field_type: row.integer('field_type'),
    name: row.text('name'),
    name_key: toTextKey(row.text('name')),
    hint: row.optionalText('hint') ?? '',
    field_data: row.optionalText('field_data') ?? '',
    position: row.optionalInteger('order') ?? row.id(),
    display_in_profile_summary: row.boolean('display_in_profile_summary'),
    required: row.boolean('required'),
    editable_by_user: row.optionalBoolean('editable_by_user') ?? true,
    use_for_user_matching: row.boolean('use_for_user_matching'),
  }));
  await insertRows(tx, 'profile_fields', profileFieldColumns, fields);
  report.addImported('profile fields', fields.length);
  const types = new Map(fields.map(({ id, field_type: type }) => [id, type]));
  for await (const batch of archive.tables.readBatches('zerver_customprofilefieldvalue')) {
    const values = batch
      .filter((row) => users.has(row.id('user_profile')) && types.has(row.id('field')))
      .map((row) => {
        const value = row.text('value');
        const isMarkdown = markdownFieldTypes.includes(types.get(row.id('field')) ?? 0);
        return {
          user_id: row.id('user_profile'),
          field_id: row.id('field'),
          value,
          rendered_value: isMarkdown ? renderer.renderPlain(value) : null,
        };
      });
    const columns = { user_id: 'int', field_id: 'int', value: 'text', rendered_value: 'text' };
    const inserted = await insertRows(tx, 'profile_values', columns, values, { skipsDuplicates: true });
    report.addImported('values of profile fields', inserted);
    report.addSkipped('values of unknown profile fields or users', batch.length - inserted);
  }
}
