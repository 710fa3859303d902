import { defineModel } from '../../engine/declaration/define-model.js';
import { textContainsFilter } from '../../engine/filter/string-filter.js';
import { booleanField } from '../../engine/field-types/boolean.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { secretField } from '../../engine/field-types/secret-field.js';
import { textField } from '../../engine/field-types/text.js';
import * as common from '../../models/shared-model-fields.js';
import { listTemplateSyntaxErrors } from '../../models/extras/check-template-text.js';

const webhookMethods = { GET: 'GET', POST: 'POST', PUT: 'PUT', PATCH: 'PATCH', DELETE: 'DELETE' };
const invalidUrlMessage = 'Enter a valid URL, beginning with http:// or https://.';

/**
 * Checks a webhook URL. A literal URL must be an HTTP or HTTPS URL. A URL template is checked after the template is
 * rendered.
 */
function checkWebhookUrl(url: string): string[] {
  const templated = /\{\{|\{%/.test(url);
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase();
  if (scheme !== undefined && scheme !== 'http' && scheme !== 'https') return [invalidUrlMessage];
  if (templated) return [];
  const parsed = URL.canParse(url) ? new URL(url) : null;
  return parsed === null || parsed.hostname === '' ? [invalidUrlMessage] : [];
}

/** Model of a webhook: an HTTP receiver of the events that event rules select (docs/contract/inventory.md 5.1). */
export const webhook = defineModel('extras.webhook', {
  path: 'extras/webhooks',
  objectName: 'Webhook',
  verboseName: 'webhook',
  verboseNamePlural: 'webhooks',
  audit: { noun: 'webhook', shownFields: ['name', 'ssl_verification'], hiddenField: 'secret' },
  fields: {
    ...common.identityFields,
    name: textField({ max: 150, required: true }),
    description: common.descriptionField,
    payload_url: textField({ max: 500, required: true, label: 'URL' }),
    http_method: choiceField(webhookMethods, { raw: true, default: 'POST', label: 'HTTP method' }),
    http_content_type: textField({ max: 100, default: 'application/json', blank: false, label: 'HTTP content type' }),
    additional_headers: textField({ label: 'additional headers' }),
    body_template: textField({ label: 'body template' }),
    secret: secretField({ max: 255 }),
    ssl_verification: booleanField({ default: true, label: 'SSL verification' }),
    ca_file_path: textField({ max: 4096, nullable: true, blankAsNull: true, label: 'CA file path' }),
    custom_fields: common.objectCustomFieldsField,
    owner: common.ownerField,
    tags: common.objectTagsField,
    ...common.creationTimeFields,
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'description'],
  order: [{ field: 'name' }],
  search: common.createFieldSearchTerms('name', 'description', 'payload_url'),
  constraints: [{ name: 'extras_webhook_name_key', fields: ['name'] }],
  filters: [textContainsFilter('payload_url')],
  rules: [
    ({ payload_url: url }) => {
      const messages = checkWebhookUrl(url ?? '');
      return messages.length === 0 ? null : { payload_url: messages };
    },
    ({ payload_url, additional_headers, body_template }) =>
      listTemplateSyntaxErrors({ payload_url, additional_headers, body_template }),
    ({ ca_file_path: path, ssl_verification: verified }) =>
      path !== null && path !== undefined && verified === false
        ? { ca_file_path: ['Do not specify a CA certificate file if SSL verification is disabled.'] }
        : null,
  ],
});
