import { z } from 'zod';
import { defineFormat, webhookEvent } from '../define-format.js';
import { bold, line, link, paragraphs, quote } from '../payload-text.js';
import { bodySignature } from '../signatures.js';

const text = z.string().nullish();
const reference = z.object({ summary: text, html_url: text });

/**
 * Payload of an event about a PagerDuty incident. Events of notes, responders and workflows contain the incident in
 * `incident`.
 */
const incidentEvent = z.object({
  agent: reference.nullish(),
  data: z.object({
    number: z.int().nullish(),
    title: text,
    html_url: text,
    incident: reference.nullish(),
    service: reference.nullish(),
    assignees: z.array(reference).nullish(),
    escalation_policy: reference.nullish(),
    priority: reference.nullish(),
    user: reference.nullish(),
    message: text,
    content: text,
    conference_url: text,
    summary: text,
    incident_workflow: reference.nullish(),
  }),
});
type IncidentEvent = z.output<typeof incidentEvent>;

function titleOf({ data }: IncidentEvent): string {
  if (data.incident) return data.incident.summary ?? '';
  return `${data.title ?? ''} (#${data.number ?? ''})`;
}

function incidentLink(p: IncidentEvent): string {
  return link(titleOf(p), p.data.incident ? p.data.incident.html_url : p.data.html_url);
}

const shown = (one: z.output<typeof reference> | null | undefined) => link(one?.summary ?? '', one?.html_url);

function assigneesOf({ data }: IncidentEvent): string {
  const names = (data.assignees ?? []).slice(0, 10).map(shown);
  return names.length === 0 ? 'nobody' : names.join(', ');
}

const byAgent = ({ agent }: IncidentEvent) => (agent ? ` by ${shown(agent)}` : '');

/** Defines a PagerDuty event whose message text follows the link to the incident. */
const event = (rest: (p: IncidentEvent) => string, quoted?: (p: IncidentEvent) => string | null | undefined) =>
  webhookEvent({
    payload: incidentEvent,
    topic: 'Incident {incident}',
    values: (p) => ({ incident: titleOf(p) }),
    text(p) {
      const below = quoted?.(p) ?? '';
      const head = `Incident ${incidentLink(p)} ${rest(p)}`;
      return below === '' ? `${head}.` : paragraphs(`${head}:`, quote(below));
    },
  });

const onService = (verb: string) =>
  event((p) => `${verb} on ${shown(p.data.service) || 'a service'} (assigned to ${assigneesOf(p)})`);

/** Event names as in the reference server, by the event types that PagerDuty sends. */
const nameByType: ReadonlyMap<string, string> = new Map([
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

/** Format of the webhooks of PagerDuty, version 3. */
export const pagerduty = defineFormat({
  name: 'pagerduty',
  displayName: 'PagerDuty',
  sender: 'PagerDuty',
  documentation: 'https://developer.pagerduty.com/docs/webhooks-overview',
  payload: z.object({ event: z.looseObject({ event_type: z.string() }) }),
  signature: bodySignature('X-PagerDuty-Signature', { prefix: 'v1=', label: 'Secret of the webhook subscription' }),
  route({ payload }) {
    const { event_type: type } = payload.event;
    return type === 'pagey.ping' ? [] : [{ event: nameByType.get(type) ?? type, payload: payload.event }];
  },
  events: {
    triggered: onService('triggered'),
    acknowledged: event((p) => `acknowledged${byAgent(p)}`),
    unacknowledged: onService('unacknowledged'),
    resolved: event((p) => `resolved${byAgent(p)}`),
    reassigned: event((p) => `reassigned to ${assigneesOf(p)}`),
    escalated: event((p) => `escalated to ${assigneesOf(p)}`),
    delegated: event((p) => `delegated to ${shown(p.data.escalation_policy) || 'another policy'}`),
    reopened: event((p) => `reopened${byAgent(p)}`),
    'priority updated': event((p) => `has the priority ${bold(p.data.priority?.summary ?? 'none')}`),
    'status updated': event(
      (p) => `has a status update${byAgent(p)}`,
      (p) => p.data.message,
    ),
    annotated: event(
      (p) => `has a note${byAgent(p)}`,
      (p) => p.data.content,
    ),
    'responder added': event(
      (p) => `has a new responder, ${shown(p.data.user)}`,
      (p) => p.data.message,
    ),
    'responder replied': event(
      (p) => `has a reply of the responder ${shown(p.data.user)}`,
      (p) => p.data.message,
    ),
    'conference bridge updated': event(
      (p) => `has the conference ${link(p.data.conference_url, p.data.conference_url)}`,
    ),
    'service updated': event((p) => `moved to the service ${shown(p.data.service)}`),
    'workflow started': event((p) => `started the workflow ${bold(p.data.incident_workflow?.summary)}`),
    'workflow completed': event(
      (p) => `completed the workflow ${bold(p.data.incident_workflow?.summary)}`,
      (p) => line(p.data.summary),
    ),
  },
});
