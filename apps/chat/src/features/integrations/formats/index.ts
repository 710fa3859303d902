import type { WebhookFormat } from '../define-webhook-format.js';
import { alertmanager } from './alertmanager.js';
import { gitea } from './gitea.js';
import { github } from './github.js';
import { gitlab } from './gitlab.js';
import { grafana } from './grafana.js';
import { jira } from './jira.js';
import { json } from './json.js';
import { netbox } from './netbox.js';
import { pagerduty } from './pagerduty.js';
import { sentry } from './sentry.js';
import { slackIncoming } from './slack-incoming.js';
import { stripe } from './stripe.js';

/** All formats of incoming webhooks, by name in alphabetical order. */
export const webhookFormats: readonly WebhookFormat[] = [
  alertmanager,
  gitea,
  github,
  gitlab,
  grafana,
  jira,
  json,
  netbox,
  pagerduty,
  sentry,
  slackIncoming,
  stripe,
];
