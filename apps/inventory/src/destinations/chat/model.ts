import { defineModel, type ValidationMessagesByField } from '../../engine/declaration/define-model.js';
import { secretField } from '../../engine/field-types/secret-field.js';
import { textField } from '../../engine/field-types/text.js';
import { maskedSecret } from '../../engine/sealed/encrypted-text-sql.js';
import * as common from '../../models/shared-model-fields.js';
import { listTemplateSyntaxErrors } from '../../models/extras/check-template-text.js';

const defaultChatTopicTemplate = '{{ object_type }} {{ data.display }}';
const defaultChatMessageTemplate =
  '**{{ data.display }}** ({{ object_type }}) was {{ event }}{% if username %} by {{ username }}{% endif %}.';
const emailPattern = { expression: /^[^\s@:]+@[^\s@]+$/, message: 'Enter a valid email address.' };

/** Checks the base URL of a chat server, to which API paths are appended. */
function checkChatServerUrl(url: string): ValidationMessagesByField | null {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  const isServer =
    parsed !== null &&
    /^https?:$/.test(parsed.protocol) &&
    `${parsed.username}${parsed.password}${parsed.search}${parsed.hash}` === '';
  return isServer
    ? null
    : { server_url: ['Enter the URL of a chat server, beginning with http:// or https://, without a query.'] };
}

const getUrlOrigin = (url: unknown): string => (URL.canParse(String(url)) ? new URL(String(url)).origin : '');

/**
 * A channel of a chat server to which event rules send messages through a bot. The reference API (NetBox) has no
 * comparable model. NetBox users need a separate program that receives webhooks and sends chat messages.
 */
export const chatDestinationModel = defineModel('extras.chatdestination', {
  path: 'extras/chat-destinations',
  objectName: 'ChatDestination',
  verboseName: 'chat destination',
  verboseNamePlural: 'chat destinations',
  fields: {
    ...common.identityFields,
    name: textField({ max: 150, required: true }),
    description: common.descriptionField,
    server_url: textField({ max: 500, required: true, label: 'server URL' }),
    bot_email: textField({ max: 254, required: true, pattern: emailPattern, label: 'bot email' }),
    bot_key: secretField({ max: 255, required: true, label: 'bot key' }),
    channel: textField({ max: 100, required: true }),
    topic_template: textField({ default: defaultChatTopicTemplate, blank: false, label: 'topic template' }),
    message_template: textField({ default: defaultChatMessageTemplate, blank: false, label: 'message template' }),
    custom_fields: common.objectCustomFieldsField,
    owner: common.ownerField,
    tags: common.objectTagsField,
    ...common.creationTimeFields,
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'description'],
  order: [{ field: 'name' }],
  search: common.createFieldSearchTerms('name', 'description', 'server_url', 'channel'),
  constraints: [{ name: 'extras_chatdestination_name_key', fields: ['name'] }],
  rules: [
    ({ server_url: url }) => checkChatServerUrl(url ?? ''),
    ({ topic_template, message_template }) => listTemplateSyntaxErrors({ topic_template, message_template }),
    ({ bot_key: key }, { previous }) =>
      previous === null && key === maskedSecret ? { bot_key: ['This field may not be blank.'] } : null,
    // Otherwise, users who may change a destination but cannot see its key could have it sent to their own server.
    ({ server_url: url, bot_key: key }, { previous }) =>
      previous !== null &&
      getUrlOrigin(url) !== getUrlOrigin(previous.server_url) &&
      [previous.bot_key, maskedSecret].includes(key)
        ? { bot_key: ['Enter the key again: it was given for another server.'] }
        : null,
  ],
});
