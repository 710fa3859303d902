// Written by `npm run gen` from the files of this folder.
import type { WebhookFormat } from '../define-webhook-format.js';
import { alertmanagerFormat } from './alertmanager.js';
import { giteaFormat } from './gitea.js';
import { githubFormat } from './github.js';
import { gitlabFormat } from './gitlab.js';
import { grafanaFormat } from './grafana.js';
import { jiraFormat } from './jira.js';
import { jsonFormat } from './json.js';
import { netboxFormat } from './netbox.js';
import { pagerDutyFormat } from './pagerduty.js';
import { sentryFormat } from './sentry.js';
import { slackIncomingFormat } from './slack-incoming.js';
import { stripeFormat } from './stripe.js';

/** All webhook formats, in the alphabetical order of their file names. */
export const webhookFormats: readonly WebhookFormat[] = [
  alertmanagerFormat,
  giteaFormat,
  githubFormat,
  gitlabFormat,
  grafanaFormat,
  jiraFormat,
  jsonFormat,
  netboxFormat,
  pagerDutyFormat,
  sentryFormat,
  slackIncomingFormat,
  stripeFormat,
];
