import { z } from 'zod';
import { defineWebhookEvent } from '../../define-webhook-format.js';
import { addFullStop, formatBold, toMarkdownLine } from '../../format-payload-text.js';
import { createUserLink, githubUserSchema, nullableTextSchema } from './github-payload-schemas.js';

const sponsorshipTierSchema = z.object({ name: z.string() });

const sponsorshipPayloadSchema = z.object({
  sender: githubUserSchema,
  sponsorship: z.object({
    tier: sponsorshipTierSchema,
    privacy_level: nullableTextSchema,
    sponsorable: githubUserSchema.nullish(),
  }),
  /** Time at which a pending change takes effect, in the format of ISO 8601. */
  effective_date: nullableTextSchema,
});

const changedTierPayloadSchema = sponsorshipPayloadSchema.extend({
  changes: z.object({ tier: z.object({ from: sponsorshipTierSchema }) }),
});

/** Defines an event about a sponsorship. The message is the user's name followed by one sentence. */
const defineSponsorshipEvent = <P extends { sender: { login: string } }>(
  payload: z.ZodType<P>,
  rest: (p: P) => string,
) =>
  defineWebhookEvent<P>({
    payload,
    topic: 'sponsors',
    text: (p) => addFullStop(`${toMarkdownLine(p.sender.login)} ${rest(p)}`),
  });

type SponsorshipPayload = z.output<typeof sponsorshipPayloadSchema>;

const formatTier = ({ sponsorship }: Pick<SponsorshipPayload, 'sponsorship'>) => formatBold(sponsorship.tier.name);

const formatTierChange = (p: z.output<typeof changedTierPayloadSchema>) =>
  `from ${formatBold(p.changes.tier.from.name)} to ${formatTier(p)}`;

/** Returns the day on which a pending change takes effect as the end of a sentence; empty if the day is unknown. */
function formatEffectiveDay({ effective_date: time }: Pick<SponsorshipPayload, 'effective_date'>): string {
  return time ? ` on ${toMarkdownLine(time.slice(0, 10))}` : '';
}

/** Definitions of events about GitHub sponsorships, by the event names of the reference server (Zulip). */
export const sponsorshipEvents = {
  created: defineSponsorshipEvent(sponsorshipPayloadSchema, (p) => {
    const { sponsorable } = p.sponsorship;
    return `began to sponsor${sponsorable ? ` ${createUserLink(sponsorable)}` : ''} with ${formatTier(p)}`;
  }),
  edited: defineSponsorshipEvent(
    sponsorshipPayloadSchema.extend({ changes: z.object({ privacy_level: z.object({ from: z.string() }) }) }),
    ({ changes, sponsorship }) =>
      `changed the visibility of a sponsorship from ${formatBold(changes.privacy_level.from)} to ${formatBold(sponsorship.privacy_level)}`,
  ),
  cancelled: defineSponsorshipEvent(sponsorshipPayloadSchema, (p) => `ended the sponsorship with ${formatTier(p)}`),
  tier_changed: defineSponsorshipEvent(
    changedTierPayloadSchema,
    (p) => `changed the sponsorship ${formatTierChange(p)}`,
  ),
  pending_cancellation: defineSponsorshipEvent(
    sponsorshipPayloadSchema,
    (p) => `will end the sponsorship with ${formatTier(p)}${formatEffectiveDay(p)}`,
  ),
  pending_tier_change: defineSponsorshipEvent(
    changedTierPayloadSchema,
    (p) => `will change the sponsorship ${formatTierChange(p)}${formatEffectiveDay(p)}`,
  ),
};
