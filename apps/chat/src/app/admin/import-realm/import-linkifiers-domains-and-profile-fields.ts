import { compileLinkifier, LinkifierError, listUrlTemplateVariables } from '../../../infra/markdown/index.js';
import { normalizeTextForComparison } from '../../../infra/normalized-text-key.js';
import type { ArchivedTableRow } from './archive/archive-row.js';
import type { RealmImportContext, ImportedUsers } from './import-context.js';
import { insertImportedRows } from './insert-rows.js';

const importedLinkifierColumns = {
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
export async function importLinkifiersPlaygroundsAndDomains(context: RealmImportContext): Promise<void> {
  await importLinkifiers(context);
  await importPlaygrounds(context);
  const { tx, realmId, archive, report } = context;
  const domains = (await archive.tables.readTable('zerver_realmdomain')).map((row) => ({
    realm_id: realmId,
    domain: row.readText('domain').toLowerCase(),
    allow_subdomains: row.readBoolean('allow_subdomains'),
  }));
  await insertImportedRows(
    tx,
    'realm_domains',
    { realm_id: 'int', domain: 'text', allow_subdomains: 'boolean' },
    domains,
  );
  report.addImportedRowCount('email domains', domains.length);
}

async function importLinkifiers({ tx, realmId, archive, report }: RealmImportContext): Promise<void> {
  const rows = await archive.tables.readTable('zerver_realmfilter');
  const linkifiers = rows.map((row) => ({
    id: row.readId(),
    realm_id: realmId,
    pattern: row.readText('pattern'),
    url_template: row.readText('url_template'),
    example_input: row.readOptionalText('example_input'),
    reverse_template: row.readOptionalText('reverse_template'),
    alternative_url_templates: getAlternativeUrlTemplates(row),
    position: row.readOptionalInteger('order') ?? row.readId(),
  }));
  const valid = linkifiers.filter((one) => isValidLinkifier(one.pattern, one.url_template));
  report.addSkippedRowCount('linkifiers with an unsupported pattern', rows.length - valid.length);
  await insertImportedRows(tx, 'realm_linkifiers', importedLinkifierColumns, valid);
  report.addImportedRowCount('linkifiers', valid.length);
}

function getAlternativeUrlTemplates(row: ArchivedTableRow): string[] {
  const list = row.getUncheckedColumnValue('alternative_url_templates');
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

async function importPlaygrounds({ tx, realmId, archive, report }: RealmImportContext): Promise<void> {
  const rows = await archive.tables.readTable('zerver_realmplayground');
  const playgrounds = rows.map((row) => ({
    id: row.readId(),
    realm_id: realmId,
    name: row.readText('name'),
    pygments_language: row.readText('pygments_language'),
    url_template: row.readOptionalText('url_template') ?? '',
  }));
  const valid = playgrounds.filter(({ url_template: template }) =>
    returnsWithoutError(() => listUrlTemplateVariables(template)),
  );
  report.addSkippedRowCount('playgrounds with an invalid URL template', rows.length - valid.length);
  const columns = { id: 'int', realm_id: 'int', name: 'text', pygments_language: 'text', url_template: 'text' };
  await insertImportedRows(tx, 'realm_playgrounds', columns, valid);
  report.addImportedRowCount('playgrounds', valid.length);
}

const importedProfileFieldColumns = {
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
const markdownProfileFieldTypes: readonly number[] = [1, 2];
const maxProfileFieldTypeNumber = 8;

/** Inserts the organization's custom profile fields, and the users' values of these fields. */
export async function importProfileFields(context: RealmImportContext, users: ImportedUsers): Promise<void> {
  const { tx, realmId, archive, renderer, report } = context;
  const archived = await archive.tables.readTable('zerver_customprofilefield');
  const rows = archived.filter(
    (row) => row.readInteger('field_type') >= 1 && row.readInteger('field_type') <= maxProfileFieldTypeNumber,
  );
  report.addSkippedRowCount('profile fields of unknown types', archived.length - rows.length);
  const fields = rows.map((row) => ({
    id: row.readId(),
    realm_id: realmId,
    field_type: row.readInteger('field_type'),
    name: row.readText('name'),
    name_key: normalizeTextForComparison(row.readText('name')),
    hint: row.readOptionalText('hint') ?? '',
    field_data: row.readOptionalText('field_data') ?? '',
    position: row.readOptionalInteger('order') ?? row.readId(),
    display_in_profile_summary: row.readBoolean('display_in_profile_summary'),
    required: row.readBoolean('required'),
    editable_by_user: row.readOptionalBoolean('editable_by_user') ?? true,
    use_for_user_matching: row.readBoolean('use_for_user_matching'),
  }));
  await insertImportedRows(tx, 'profile_fields', importedProfileFieldColumns, fields);
  report.addImportedRowCount('profile fields', fields.length);
  const types = new Map(fields.map(({ id, field_type: type }) => [id, type]));
  for await (const batch of archive.tables.readTableInBatches('zerver_customprofilefieldvalue')) {
    const values = batch
      .filter((row) => users.has(row.readId('user_profile')) && types.has(row.readId('field')))
      .map((row) => {
        const value = row.readText('value');
        const isMarkdown = markdownProfileFieldTypes.includes(types.get(row.readId('field')) ?? 0);
        return {
          user_id: row.readId('user_profile'),
          field_id: row.readId('field'),
          value,
          rendered_value: isMarkdown ? renderer.renderPlain(value) : null,
        };
      });
    const columns = { user_id: 'int', field_id: 'int', value: 'text', rendered_value: 'text' };
    const inserted = await insertImportedRows(tx, 'profile_values', columns, values, { skipsDuplicates: true });
    report.addImportedRowCount('values of profile fields', inserted);
    report.addSkippedRowCount('values of unknown profile fields or users', batch.length - inserted);
  }
}
