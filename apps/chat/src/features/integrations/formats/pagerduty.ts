import { z } from 'zod';
import { defineWebhookFormat, defineWebhookEvent } from '../define-webhook-format.js';
import {
  formatBold,
  toMarkdownLine,
  formatMarkdownLink,
  joinParagraphs,
  formatBlockQuote,
} from '../format-payload-text.js';
import { createBodySignatureCheck } from '../check-webhook-signatures.js';

const nullableTextSchema = z.string().nullish();
const pagerDutyReferenceSchema = z.object({ summary: nullableTextSchema, html_url: nullableTextSchema });

/**
 * Schema of the payload of an event about a PagerDuty incident. Events about notes, responders and workflows contain
 * the incident in the field `incident`.
 */
const pagerDutyIncidentEventSchema = z.object({
  agent: pagerDutyReferenceSchema.nullish(),
  data: z.object({
    number: z.int().nullish(),
    title: nullableTextSchema,
    html_url: nullableTextSchema,
    incident: pagerDutyReferenceSchema.nullish(),
    service: pagerDutyReferenceSchema.nullish(),
    assignees: z.array(pagerDutyReferenceSchema).nullish(),
    escalation_policy: pagerDutyReferenceSchema.nullish(),
    priority: pagerDutyReferenceSchema.nullish(),
    user: pagerDutyReferenceSchema.nullish(),
    message: nullableTextSchema,
    content: nullableTextSchema,
    conference_url: nullableTextSchema,
    summary: nullableTextSchema,
    incident_workflow: pagerDutyReferenceSchema.nullish(),
  }),
});
type PagerDutyIncidentEvent = z.output<typeof pagerDutyIncidentEventSchema>;

function getIncidentTitle({ data }: PagerDutyIncidentEvent): string {
  if (data.incident) return data.incident.summary ?? '';
  return `${data.title ?? ''} (#${data.number ?? ''})`;
}

function createIncidentLink(p: PagerDutyIncidentEvent): string {
  return formatMarkdownLink(getIncidentTitle(p), p.data.incident ? p.data.incident.html_url : p.data.html_url);
}

const createReferenceLink = (one: z.output<typeof pagerDutyReferenceSchema> | null | undefined) =>
  formatMarkdownLink(one?.summary ?? '', one?.html_url);

function formatAssignees({ data }: PagerDutyIncidentEvent): string {
  const names = (data.assignees ?? []).slice(0, 10).map(createReferenceLink);
  return names.length === 0 ? 'nobody' : names.join(', ');
}

const formatPagerDutyAgent = ({ agent }: PagerDutyIncidentEvent) => (agent ? ` by ${createReferenceLink(agent)}` : '');

/** Defines a PagerDuty event. The message consists of a link to the incident and the given text. */
const definePagerDutyEvent = (
  rest: (p: PagerDutyIncidentEvent) => string,
  quoted?: (p: PagerDutyIncidentEvent) => string | null | undefined,
) =>
  defineWebhookEvent({
    payload: pagerDutyIncidentEventSchema,
    topic: 'Incident {incident}',
    values: (p) => ({ incident: getIncidentTitle(p) }),
    text(p) {
      const below = quoted?.(p) ?? '';
      const head = `Incident ${createIncidentLink(p)} ${rest(p)}`;
      return below === '' ? `${head}.` : joinParagraphs(`${head}:`, formatBlockQuote(below));
    },
  });

const defineServiceEvent = (verb: string) =>
  definePagerDutyEvent(
    (p) => `${verb} on ${createReferenceLink(p.data.service) || 'a service'} (assigned to ${formatAssignees(p)})`,
  );

/** Event names of the reference server (Zulip), by the event types that PagerDuty sends. */
const eventNameByResourceType: ReadonlyMap<string, string> = new Map([
  ['incident.triggered', 'triggered'],
  ['incident.acknowledged', 'acknowledged'],
  ['incident.unacknowledged', 'unacknowledged'],
  ['incident.resolved', 'resolved'],
  ['incident.reassigned', 'reassigned'],
  ['incident.escalated', 'escalated'],
  ['incident.delegated', 'delegated'],
  ['incident.reopened', 'reopened'],
  ['incident.priority_updated', 'priority updated'],
  ['incident.status_update_published', 'status updated'],
  ['incident.annotated', 'annotated'],
  ['incident.responder.added', 'responder added'],
  ['incident.responder.replied', 'responder replied'],
  ['incident.conference_bridge.updated', 'conference bridge updated'],
  ['incident.service_updated', 'service updated'],
  ['incident.workflow.started', 'workflow started'],
  ['incident.workflow.completed', 'workflow completed'],
]);

/** Format of the webhook requests of PagerDuty, version 3. */
export const pagerDutyFormat = defineWebhookFormat({
  name: 'pagerduty',
  displayName: 'PagerDuty',
  sender: 'PagerDuty',
  documentation: 'https://developer.pagerduty.com/docs/webhooks-overview',
  payload: z.object({ event: z.looseObject({ event_type: z.string() }) }),
  signature: createBodySignatureCheck('X-PagerDuty-Signature', {
    prefix: 'v1=',
    label: 'Secret of the webhook subscription',
  }),
  route({ payload }) {
    const { event_type: type } = payload.event;
    return type === 'pagey.ping' ? [] : [{ event: eventNameByResourceType.get(type) ?? type, payload: payload.event }];
  },
  events: {
    triggered: defineServiceEvent('triggered'),
    acknowledged: definePagerDutyEvent((p) => `acknowledged${formatPagerDutyAgent(p)}`),
    unacknowledged: defineServiceEvent('unacknowledged'),
    resolved: definePagerDutyEvent((p) => `resolved${formatPagerDutyAgent(p)}`),
    reassigned: definePagerDutyEvent((p) => `reassigned to ${formatAssignees(p)}`),
    escalated: definePagerDutyEvent((p) => `escalated to ${formatAssignees(p)}`),
    delegated: definePagerDutyEvent(
      (p) => `delegated to ${createReferenceLink(p.data.escalation_policy) || 'another policy'}`,
    ),
    reopened: definePagerDutyEvent((p) => `reopened${formatPagerDutyAgent(p)}`),
    'priority updated': definePagerDutyEvent(
      (p) => `has the priority ${formatBold(p.data.priority?.summary ?? 'none')}`,
    ),
    'status updated': definePagerDutyEvent(
      (p) => `has a status update${formatPagerDutyAgent(p)}`,
      (p) => p.data.message,
    ),
    annotated: definePagerDutyEvent(
      (p) => `has a note${formatPagerDutyAgent(p)}`,
      (p) => p.data.content,
    ),
    'responder added': definePagerDutyEvent(
      (p) => `has a new responder, ${createReferenceLink(p.data.user)}`,
      (p) => p.data.message,
    ),
    'responder replied': definePagerDutyEvent(
      (p) => `has a reply of the responder ${createReferenceLink(p.data.user)}`,
      (p) => p.data.message,
    ),
    'conference bridge updated': definePagerDutyEvent(
      (p) => `has the conference ${formatMarkdownLink(p.data.conference_url, p.data.conference_url)}`,
    ),
    'service updated': definePagerDutyEvent((p) => `moved to the service ${createReferenceLink(p.data.service)}`),
    'workflow started': definePagerDutyEvent(
      (p) => `started the workflow ${formatBold(p.data.incident_workflow?.summary)}`,
    ),
    'workflow completed': definePagerDutyEvent(
      (p) => `completed the workflow ${formatBold(p.data.incident_workflow?.summary)}`,
      (p) => toMarkdownLine(p.data.summary),
    ),
  },
});
