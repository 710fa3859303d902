import { z } from 'zod';
import { anyObjectSchema, defineWebhookFormat, defineWebhookEvent } from '../define-webhook-format.js';
import {
  formatBold,
  capitalizeFirstLetter,
  toMarkdownLine,
  formatMarkdownLink,
  formatMarkdownList,
  joinParagraphs,
  toPlainTextLine,
} from '../format-payload-text.js';
import { createBodySignatureCheck } from '../check-webhook-signatures.js';

/**
 * Words that occur in NetBox model names such as `ipaddress` and `virtualmachine`. The list is needed because these
 * names have no separators.
 */
const modelNameWords =
  'virtual|device|machine|inventory|item|power|port|outlet|feed|panel|console|server|front|rear|module|bay|rack|role|type|profile|reservation|chassis|context|site|location|region|group|cable|termination|circuit|provider|account|network|cluster|disk|vm|interface|wireless|lan|link|ike|ipsec|l2vpn|vpn|policy|proposal|tunnel|tenant|contact|assignment|config|template|custom|field|choice|set|event|rule|export|image|attachment|journal|entry|saved|filter|data|source|file|object|permission|fhrp|ip|address|range|asn|vlan|vrf|rir|mac|route|target|translation|prefix|aggregate|service|tag|token|user|owner|webhook|chat|destination|manufacturer|platform|job|notification|bookmark|script|table';
const modelNameWordPattern = new RegExp(
  modelNameWords
    .split('|')
    .toSorted((a, b) => b.length - a.length)
    .join('|'),
  'g',
);

const modelNameAcronyms: ReadonlyMap<string, string> = new Map(
  ['VM', 'IKE', 'IPSec', 'L2VPN', 'VPN', 'FHRP', 'IP', 'ASN', 'VLAN', 'VRF', 'RIR', 'MAC', 'LAN'].map((name) => [
    name.toLowerCase(),
    name,
  ]),
);

/** Returns the name of a NetBox model in words, for example `IP address` for `ipam.ipaddress`. */
function formatModelName(objectType: string): string {
  const model = toMarkdownLine(objectType).split('.').at(-1) ?? '';
  const words = model.match(modelNameWordPattern) ?? [];
  const known = words.join('') === model ? words : [model];
  return known.map((word) => modelNameAcronyms.get(word) ?? word).join(' ');
}

const netboxObjectSchema = z.looseObject({
  id: z.union([z.int(), z.string()]).optional(),
  display: z.string().optional(),
  name: z.string().nullish(),
  display_url: z.string().nullish(),
});
const snapshotSchema = anyObjectSchema.nullish();

const netboxChangePayloadSchema = z.object({
  event: z.string(),
  /**
   * Name of the NetBox model with its app, such as `ipam.prefix`. NetBox versions up to 4.2 omit this field and send
   * only `model`, without the app.
   */
  object_type: z.string().optional(),
  model: z.string().optional(),
  username: z.string().nullish(),
  data: netboxObjectSchema,
  snapshots: z.object({ prechange: snapshotSchema, postchange: snapshotSchema }).nullish(),
});
type NetboxChangePayload = z.output<typeof netboxChangePayloadSchema>;

const getObjectName = ({ data }: NetboxChangePayload): string =>
  toPlainTextLine(data.display ?? data.name ?? String(data.id ?? ''));
const getObjectTypeName = ({ object_type: type, model = 'object' }: NetboxChangePayload): string =>
  formatModelName(type ?? model);

const netboxObjectTopicTemplate = {
  topic: '{type} {object}',
  values: (p: NetboxChangePayload) => ({ type: capitalizeFirstLetter(getObjectTypeName(p)), object: getObjectName(p) }),
};

/**
 * Returns the first sentence of a message about a NetBox object. The sentence names the user, the action and the
 * object.
 */
function formatNetboxChangeSentence(p: NetboxChangePayload, verb: string): string {
  const name = formatBold(getObjectName(p));
  const shown = p.data.display_url ? formatMarkdownLink(getObjectName(p), p.data.display_url) : name;
  return `${formatBold(p.username) || 'The system'} ${verb} ${getObjectTypeName(p)} ${verb === 'deleted' ? name : shown}`;
}

/**
 * Pattern of the field names that messages about NetBox objects omit. Every write changes these fields, or NetBox
 * computes them by counting.
 */
const hiddenFieldNames = /^(?:created|last_updated|custom_field_data|_.*)$/;

/** Maximum number of changed fields of an object that a message lists. */
const maxShownChangedFields = 15;

/** Returns the changed fields of a NetBox object, each with its former value and new value. */
function listFieldChanges({ snapshots, data }: NetboxChangePayload): string {
  const [before, after] = [snapshots?.prechange ?? {}, snapshots?.postchange ?? {}];
  const plain = listChangedFieldNames(before, after).filter(
    (name) => !hiddenFieldNames.test(name) && name !== 'custom_fields',
  );
  const fields = plain
    .slice(0, maxShownChangedFields)
    .map((name) => formatFieldChange(name, before[name], after[name], data[name]));
  const [customBefore, customAfter] = [getCustomFieldsObject(before), getCustomFieldsObject(after)];
  const customNames = listChangedFieldNames(customBefore, customAfter);
  const custom = customNames
    .slice(0, maxShownChangedFields - fields.length)
    .map((name) => formatFieldChange(name, customBefore[name], customAfter[name], undefined));
  const omitted = plain.length + customNames.length - fields.length - custom.length;
  return formatMarkdownList([...fields, ...custom, omitted > 0 ? `… and ${omitted} more fields` : '']);
}

/** Returns the names of the fields whose values differ between two snapshots of an object. */
function listChangedFieldNames(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
}

function getCustomFieldsObject({
  custom_fields: fields,
}: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const parsed = anyObjectSchema.safeParse(fields);
  return parsed.success ? parsed.data : {};
}

/**
 * Returns the line of a message about a changed field. Snapshots contain only the ids of related objects. Therefore the
 * line shows the new value as the API shows it, and omits the former id.
 *
 * @param shown The new value in the API's form.
 */
function formatFieldChange(name: string, before: unknown, after: unknown, shown: unknown): string {
  const label = formatBold(capitalizeFirstLetter(name.replaceAll('_', ' ')));
  const isReference = typeof after === 'number' && typeof shown === 'object' && shown !== null && 'id' in shown;
  const now = isReference ? formatFieldValue(shown) : formatFieldValue(after);
  const wasReference = isReference || (after === null && shown === null && typeof before === 'number');
  const former = wasReference ? (before === null || before === undefined ? 'none' : '') : formatFieldValue(before);
  return former === '' ? `${label}: now ${now}` : `${label}: ${former} → ${now}`;
}

/** Returns the value of a NetBox object's field as text on one line. */
function formatFieldValue(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'none';
  if (Array.isArray(value))
    return value.length === 0 ? 'none' : toMarkdownLine(value.slice(0, 20).map(formatFieldValue).join(', '));
  if (typeof value !== 'object') return toMarkdownLine(String(value));
  const { display, label, name, value: inner } = value as Record<string, unknown>;
  const [text] = [display, label, name, inner].filter((one) => typeof one === 'string' || typeof one === 'number');
  return toMarkdownLine(text === undefined ? JSON.stringify(value).slice(0, 1_000) : String(text));
}

/**
 * Names of the fields of a new NetBox object that the message shows. Most other fields are empty or have default
 * values.
 */
const fieldsShownOnCreation = [
  'status',
  'role',
  'site',
  'scope',
  'vrf',
  'vlan',
  'tenant',
  'device',
  'parent',
  'description',
];

function formatCreationLines({ data }: NetboxChangePayload): string {
  const present = fieldsShownOnCreation.filter((name) => formatFieldValue(data[name]) !== 'none');
  return formatMarkdownList(
    present.map((name) => `${formatBold(capitalizeFirstLetter(name))}: ${formatFieldValue(data[name])}`),
  );
}

/** Format of the webhook requests of the inventory service and of NetBox. */
export const netboxFormat = defineWebhookFormat({
  name: 'netbox',
  displayName: 'NetBox and Switchboard inventory',
  sender: 'NetBox',
  documentation: 'https://netboxlabs.com/docs/netbox/integrations/webhooks/',
  payload: z.looseObject({ event: z.string() }),
  signature: createBodySignatureCheck('X-Hook-Signature', { algorithm: 'sha512' }),
  route: ({ payload }) => [{ event: payload.event, payload }],
  events: {
    created: defineWebhookEvent({
      payload: netboxChangePayloadSchema,
      ...netboxObjectTopicTemplate,
      text: (p) => joinHeadingAndLines(formatNetboxChangeSentence(p, 'created'), formatCreationLines(p)),
    }),
    updated: defineWebhookEvent({
      payload: netboxChangePayloadSchema,
      ...netboxObjectTopicTemplate,
      text: (p) => joinHeadingAndLines(formatNetboxChangeSentence(p, 'updated'), listFieldChanges(p)),
    }),
    deleted: defineWebhookEvent({
      payload: netboxChangePayloadSchema,
      ...netboxObjectTopicTemplate,
      text: (p) => `${formatNetboxChangeSentence(p, 'deleted')}.`,
    }),
    job_started: defineWebhookEvent({
      payload: netboxChangePayloadSchema,
      ...netboxObjectTopicTemplate,
      text: (p) => `Job ${formatBold(getObjectName(p))} started.`,
    }),
    job_ended: defineWebhookEvent({
      payload: netboxChangePayloadSchema,
      ...netboxObjectTopicTemplate,
      text: (p) => `Job ${formatBold(getObjectName(p))} ended: ${formatFieldValue(p.data['status'])}.`,
    }),
  },
});

function joinHeadingAndLines(head: string, lines: string): string {
  return lines === '' ? `${head}.` : joinParagraphs(`${head}:`, lines);
}
